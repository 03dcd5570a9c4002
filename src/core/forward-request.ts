/* The body of a request that a forward sends in place of the event. Pure. */
import type { ForwardRequest } from '../shared/forwards.ts';
import { readTemplate } from '../shared/placeholders.ts';
import { escapingFor, type RenderedEvent, type RenderOptions, render } from './answers/placeholders.ts';
import { isJson } from './json/validator.ts';

const maxSentBodyBytes = 1 << 20;

/** @returns `problem`: why the body cannot be sent; null if it can */
export function renderRequest(
  { contentType, body: template }: Pick<ForwardRequest, 'contentType' | 'body'>,
  event: RenderedEvent,
  about: Omit<RenderOptions, 'escaping' | 'maxBytes'>,
): { body: Buffer; problem: string | null } {
  const escaping = escapingFor(contentType);
  const options = { ...about, escaping, maxBytes: maxSentBodyBytes };
  const { body, isWhole } = render(readTemplate(template, 'team'), event, options);
  if (!isWhole) return { body, problem: 'the body of the request would be larger than 1 MiB' };
  if (escaping === 'json' && !isJson(body))
    return { body, problem: `the body of the request is not JSON, although its content type is ${contentType}` };
  return { body, problem: null };
}
