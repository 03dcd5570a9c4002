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
    placeholder: 'orders to staging',
    maxLength: maxNameCharacters,
    autoFocus: true,
    required: 'Give it a name.',
  }),
  url: url({
    label: 'URL',
    placeholder: 'https://staging.example.com/webhooks',
    hint: 'Each event goes there with its method, headers and exact body.',
    required: 'Where are the events sent?',
  }),
  where: filterText,
  mode: choice({
    label: 'Order',
    options: [
      { id: 'parallel', label: 'In any order: up to six at a time' },
      { id: 'ordered', label: 'In order: one at a time, oldest first' },
    ],
  }),
  orderBy: text({
    label: 'Order within',
    placeholder: 'all events together',
    hint: "A field such as body.order.id or header.x-shop: events with another value don't wait for each other.",
  }),
  'retry.for': duration({ label: 'Try for', example: forwardDefaults.retry.for }),
  'retry.first': duration({ label: 'Shortest wait', example: forwardDefaults.retry.first }),
  'retry.max': duration({ label: 'Longest wait', example: forwardDefaults.retry.max }),
  timeoutS: wholeNumber({ label: 'Timeout in s', min: 1, max: maxForwardTimeoutS }),
  headers: headers({
    hint: 'Added to every request, such as the credentials of the destination. Everyone in the team can read them.',
  }),
  per: flag({
    label: 'Only the first attempt of each delivery',
    hint: 'When a sender repeats a delivery, the destination gets it once.',
    on: 'delivery',
    off: 'event',
  }),
  sign: flag({
    label: 'Sign anew',
    hint: 'With a stored secret that may sign for the destination. What it may not sign is given up.',
    on: 'fresh',
    off: 'as-captured',
  }),
  enabled: flag({ label: 'Enabled', hint: 'Off: paused. Events wait until it is resumed.', on: true, off: false }),
} satisfies SchemaOf<ForwardInput>;
type Draft = DraftOf<typeof schema>;

export const forwardRules: Rules<typeof schema> = {
  schema,
  applies: (path, draft) => path !== 'orderBy' || draft.mode === 'ordered',
  check: ({ sign, headers }) =>
    sign && headers.some(([name]) => name.trim() !== '')
      ? { headers: 'A forward that signs anew may not add headers: its events would be given up.' }
      : {},
};
const moreFields = ['retry.for', 'retry.first', 'retry.max', 'timeoutS', 'headers', 'per', 'sign', 'enabled'] as const;

/** Whether it has more than a name, a URL, a filter and an order. */
export function hasMore(draft: Draft): boolean {
  const usual = draftOf(schema, forwardDefaults);
  return moreFields.some(path => JSON.stringify(draft[path]) !== JSON.stringify(usual[path]));
}
