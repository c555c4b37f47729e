/**
 * Some clients send `null` for what they leave out. Removes `params` and `params.arguments` that are null from a
 * message or a batch, because the protocol library refuses them.
 */
export function omitNullParams(body: unknown): unknown {
  return Array.isArray(body) ? body.map(omitFromMessage) : omitFromMessage(body);
}

function omitFromMessage(message: unknown): unknown {
  if (!isObject(message) || !('params' in message)) return message;
  const { params, ...others } = message;
  if (params === null) return others;
  if (!isObject(params) || params['arguments'] !== null) return message;
  const { arguments: _absent, ...otherParams } = params;
  return { ...message, params: otherParams };
}

/** No input of a tool has objects nested deeper than this. */
const MAX_DEPTH = 4;

/** Removes members that are null from an input and the objects in it. No tool has an input that may be null. */
export function omitNulls(input: unknown, depth = MAX_DEPTH): unknown {
  if (!isObject(input) || depth === 0) return input;
  return Object.fromEntries(
    Object.entries(input)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, omitNulls(value, depth - 1)]),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
