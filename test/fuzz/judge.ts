import { errorEnvelope } from '../../contract/error-codes.ts';
import type { Conversation } from './conversation.ts';
import type { Outcome } from './converse.ts';
import { BadHttp, type RawAnswer, readAnswers } from './read-answers.ts';

/** The JSON-RPC code of an internal error. */
const RPC_INTERNAL_ERROR = -32_603;

/** The errors in the server's answers to a conversation. Nothing else fails, so every failure must be a refusal of the client. */
export function judge(conversation: Conversation, { received, how }: Outcome): readonly string[] {
  const { methods, listener, tools } = conversation;
  if (how === 'unanswered') return [`nothing more came after ${JSON.stringify(received.toString('latin1', 0, 120))}`];
  try {
    const { answers, rest } = readAnswers(received, methods);
    const wrong = answers.flatMap((answer, at) => judgeAnswer(answer, methods?.[at], tools));
    if (how === 'ended' && rest.length > 0) wrong.push(`the connection ended within an answer: ${excerpt(rest)}`);
    if (methods !== null && answers.length > methods.length)
      wrong.push(`${answers.length} answers to ${methods.length} requests`);
    if (methods !== null && how === 'ended' && answers.length + rest.length === 0 && !isTunnel(conversation))
      wrong.push('the connection ended without an answer');
    return listener === 'operators' ? wrong.filter((each) => !NOT_READY.test(each)) : wrong;
  } catch (error) {
    if (error instanceof BadHttp) return [error.message];
    throw error;
  }
}

/** `/readyz` may say that the process is not ready. */
const NOT_READY = /^503: \{"status"/;
/** The operator listener may end a CONNECT without an answer. */
const isTunnel = ({ listener, kind }: Conversation): boolean => listener === 'operators' && kind === 'connect';

function judgeAnswer({ status, headers, body }: RawAnswer, method: string | undefined, tools: boolean): string[] {
  const text = body.toString('utf8');
  if (status >= 500) return [`${status}: ${excerpt(body)}`];
  const message = tools ? rpcErrorsOf(text) : [];
  if (message.some(({ code }) => code === RPC_INTERNAL_ERROR)) return [`${status} with a failure: ${excerpt(body)}`];
  if (status < 400 || method === 'HEAD' || body.length === 0 || message.length > 0) return [];
  if (!headers.get('content-type')?.startsWith('application/json'))
    return [`${status} without the envelope: ${excerpt(body)}`];
  const envelope = errorEnvelope.safeParse(parsed(text));
  if (!envelope.success) return [`${status} without the envelope: ${excerpt(body)}`];
  return envelope.data.error.code === 'internal_error' ? [`${status} internal_error`] : [];
}

/** Errors of the tool protocol, in a body of JSON or of server-sent events. */
function rpcErrorsOf(text: string): readonly { readonly code: number }[] {
  const bodies =
    text.startsWith('{') || text.startsWith('[')
      ? [text]
      : [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data!);
  return bodies
    .flatMap((body) => parsed(body) as object)
    .flatMap((message) => {
      const { error } = (message ?? {}) as { readonly error?: { readonly code?: unknown } };
      return typeof error?.code === 'number' ? [{ code: error.code }] : [];
    });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

const excerpt = (bytes: Buffer): string => bytes.toString('latin1', 0, 200);
