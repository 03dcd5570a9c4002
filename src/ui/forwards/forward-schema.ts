/* The fields of a forward's form. */

import type { ForwardInput } from '../../features/forwards/model.ts';
import { forwardDefaults, maxForwardTimeoutS } from '../../shared/forwards.ts';
import { maxNameCharacters } from '../../shared/limits.ts';
import { filterText } from '../inspector/filter/filter-field.tsx';
import { choice, duration, flag, headers, text, url, wholeNumber } from '../kit/fields.tsx';
import { type DraftOf, draftOf, type Rules, type SchemaOf } from '../kit/schema.ts';

const schema = {
  name: text({
    label: 'Name',
    placeholder: 'Orders to staging',
    maxLength: maxNameCharacters,
    autoFocus: true,
    required: 'Enter a name.',
  }),
  url: url({
    label: 'URL',
    placeholder: 'https://staging.example.com/webhooks',
    hint: 'Each event is sent with its original method, headers and exact body.',
    required: 'Enter the destination URL.',
  }),
  where: filterText,
  mode: choice({
    label: 'Order',
    options: [
      { id: 'parallel', label: 'Unordered, six at once' },
      { id: 'ordered', label: 'In order, one at a time' },
    ],
  }),
  orderBy: text({
    label: 'Lane',
    placeholder: 'one lane for all events',
    hint: "A field such as body.order.id or header.x-shop. Events with the same value stay in order; others don't wait for them.",
  }),
  'retry.for': duration({ label: 'Retry for', example: forwardDefaults.retry.for }),
  'retry.first': duration({ label: 'First retry after', example: forwardDefaults.retry.first }),
  'retry.max': duration({ label: 'Longest interval', example: forwardDefaults.retry.max }),
  timeoutS: wholeNumber({ label: 'Timeout (s)', min: 1, max: maxForwardTimeoutS }),
  headers: headers({
    hint: 'Added to every request, for example credentials. Everyone on the team can read them.',
  }),
  per: flag({
    label: 'Send only the first attempt of each delivery',
    hint: 'If the sender retries a delivery, the destination still gets it once.',
    on: 'delivery',
    off: 'event',
  }),
  sign: flag({
    label: 'Re-sign',
    hint: 'Uses a saved secret that may sign for this destination. Events it may not sign are given up.',
    on: 'fresh',
    off: 'as-captured',
  }),
  enabled: flag({ label: 'Enabled', hint: 'When off, events are queued until you turn it on.', on: true, off: false }),
} satisfies SchemaOf<ForwardInput>;
type Draft = DraftOf<typeof schema>;

export const forwardRules: Rules<typeof schema> = {
  schema,
  applies: (path, draft) => path !== 'orderBy' || draft.mode === 'ordered',
  check: ({ sign, headers }) =>
    sign && headers.some(([name]) => name.trim() !== '')
      ? { headers: "A forward that re-signs events can't add headers: none of its events would be sent." }
      : {},
};
const moreFields = ['retry.for', 'retry.first', 'retry.max', 'timeoutS', 'headers', 'per', 'sign', 'enabled'] as const;

/** Whether it has more than a name, a URL, a filter and an order. */
export function hasMore(draft: Draft): boolean {
  const usual = draftOf(schema, forwardDefaults);
  return moreFields.some(path => JSON.stringify(draft[path]) !== JSON.stringify(usual[path]));
}
