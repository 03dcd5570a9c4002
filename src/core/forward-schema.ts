/* The form of a forward's settings in requests, responses and files of endpoints. forward.ts checks what no schema can say. */
import { type Static, Type as t } from '@sinclair/typebox';
import {
  forwardModes,
  forwardPers,
  forwardSigns,
  maxContentTypeCharacters,
  maxForwardHeaders,
  maxForwardTimeoutS,
  maxOrderByCharacters,
  maxTemplateBytes,
  requestMethods,
} from '../shared/forwards.ts';
import { HeaderPairs, HttpUrl, literals, Name, nullable } from './schemas.ts';

const closed = { additionalProperties: false };
const Duration = (description: string) => t.String({ minLength: 1, maxLength: 12, description });
const retry = {
  for: Duration('how long an event is tried after the first attempt; default 24h'),
  first: Duration('the shortest time between two attempts; default 5s'),
  max: Duration('the longest; default 1h'),
};

const contentType = t.String({
  minLength: 1,
  maxLength: maxContentTypeCharacters,
  description: 'values are escaped if it is JSON or a URL-encoded form, and in nothing else',
});
const body = t.String({
  description: `a template of at most ${maxTemplateBytes / 1024} KiB, with the placeholders of answers, {{endpoint}} and {{link}}`,
});
const method = literals(requestMethods, { description: 'default POST' });
const ofRequest = {
  description:
    'what is sent in place of the event: none of the sender’s headers goes along. null (default): the event as it came',
};

export const ForwardRequest = t.Object({ method: t.Optional(method), contentType, body }, closed);
export type ForwardRequest = Static<typeof ForwardRequest>;

/** The settings whose form is the same wherever they are. */
const settings = {
  mode: literals(forwardModes, {
    description: 'parallel: several at a time, in no order; ordered: one at a time in each lane, oldest first',
  }),
  orderBy: nullable(
    t.String({
      minLength: 1,
      maxLength: maxOrderByCharacters,
      description:
        'with `ordered`: the field whose value makes the lane, such as `body.order.id`; events without it share one. null: one lane',
    }),
  ),
  sign: literals(forwardSigns, {
    description:
      '`fresh`: a new signature by a secret of the endpoint that may sign; events that it may not sign are given up. `own`: signed as Standard Webhooks with the secret of the forward',
  }),
  headers: HeaderPairs({
    maxItems: maxForwardHeaders,
    description: 'added to every request, in place of captured ones of the same name',
  }),
  timeoutS: t.Integer({
    minimum: 1,
    maximum: maxForwardTimeoutS,
    description: 'for the whole response; default 30',
  }),
  per: literals(forwardPers, { description: 'delivery: of the attempts of a delivery only the first' }),
  enabled: t.Boolean({ description: 'false: paused, events wait; default true' }),
};

const change = {
  ...t.Partial(t.Object(settings)).properties,
  request: t.Optional(nullable(ForwardRequest, ofRequest)),
  where: t.Optional(nullable(t.String({ description: 'only events that match this filter; default all' }))),
  retry: t.Optional(t.Partial(t.Object(retry), closed)),
};
const url = HttpUrl('where the events are sent');

export const shownForwardSettings = {
  name: t.String(),
  url: t.String(),
  where: t.String(),
  request: nullable(t.Object({ method, contentType, body }), ofRequest),
  ...settings,
  retry: t.Object(retry),
};

export const ForwardInput = t.Object(
  { name: Name, url, ...change },
  {
    title: 'ForwardInput',
    examples: [{ name: 'orders to staging', url: 'https://staging.example.com/hook', where: 'type:order.*' }],
    ...closed,
  },
);
export type ForwardInput = Static<typeof ForwardInput>;
export const ForwardChange = t.Object(
  { ...change, name: t.Optional(Name), url: t.Optional(url) },
  { title: 'ForwardChange', examples: [{ url: 'https://next.example.com/hook' }], ...closed },
);
export type ForwardChange = Static<typeof ForwardChange>;
