import { Rejection } from '../domain/rejections.ts';

/**
 * The parameters of a request target, each key once. A repeated key (in whatever encoding), bad percent-encoding and invalid UTF-8 are
 * refused; which keys are known is the contract's question.
 */
export const parseQueryString = (target: string): Readonly<Record<string, string>> => {
  const parameters: Record<string, string> = Object.create(null) as Record<string, string>;
  const start = target.search(/[?#]/);
  if (start === -1) return parameters;
  for (const pair of target.slice(start + 1).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const key = decode(equals === -1 ? pair : pair.slice(0, equals));
    if (key in parameters) throw new Rejection('invalid_parameter', `the parameter ${JSON.stringify(key.slice(0, 80))} is repeated`);
    parameters[key] = decode(equals === -1 ? '' : pair.slice(equals + 1));
  }
  return parameters;
};

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new Rejection('invalid_parameter', 'the query string is not valid percent-encoded UTF-8');
  }
};
