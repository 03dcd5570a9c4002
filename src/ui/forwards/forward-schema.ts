/* The fields of a forward's form. */

import type { ForwardInput } from '../../features/forwards/model.ts';
import { type ForwardPreset, forwardPresets } from '../../shared/forward-presets.ts';
import {
  type ForwardRequest,
  forwardDefaults,
  maxContentTypeCharacters,
  maxForwardTimeoutS,
  maxTemplateBytes,
  requestMethods,
} from '../../shared/forwards.ts';
import { maxNameCharacters } from '../../shared/limits.ts';
import { unknownPlaceholders } from '../../shared/placeholders.ts';
import { filterText } from '../inspector/filter/filter-field.tsx';
import { choice, duration, flag, headers, text, url, wholeNumber } from '../kit/fields.tsx';
import { visibleLine } from '../kit/format/visible.ts';
import { type DraftOf, draftOf, type FormField, type Rules, type SchemaOf } from '../kit/schema.ts';

type RequestKind = 'captured' | 'own';

/** The fields of a request of its own are fields of the form; this one says whether there is one. */
const requestKind: FormField<RequestKind, ForwardRequest | null> = {
  ...choice({
    label: 'Request',
    options: [
      { id: 'captured', label: 'The event as it came' },
      { id: 'own', label: 'A request of its own, from a template' },
    ],
  }),
  from: request => (request ? 'own' : 'captured'),
  to: kind => (kind === 'own' ? undefined : null),
};

function problemOfTemplate(template: string): string | undefined {
  if (new TextEncoder().encode(template).length > maxTemplateBytes)
    return `Enter at most ${maxTemplateBytes / 1024} KiB.`;
  const [unknown] = unknownPlaceholders(template);
  return unknown === undefined ? undefined : `${visibleLine(unknown)} is not a placeholder.`;
}

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
    required: 'Enter the destination URL.',
  }),
  where: filterText,
  request: requestKind,
  'request.method': choice({ label: 'Method', options: requestMethods.map(id => ({ id, label: id })) }),
  'request.contentType': text({
    label: 'Content type',
    placeholder: 'application/json',
    maxLength: maxContentTypeCharacters,
    required: 'Enter the content type, such as application/json.',
  }),
  'request.body': {
    from: template => template ?? '',
    to: template => template,
    problem: problemOfTemplate,
  } satisfies FormField<string, string>,
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
  sign: choice({
    label: 'Signature',
    options: [
      { id: 'as-captured', label: 'Not signed by Hooktape' },
      { id: 'own', label: "Sign with the forward's own secret" },
      { id: 'fresh', label: "Re-sign with the endpoint's saved secret" },
    ],
  }),
  enabled: flag({ label: 'Enabled', hint: 'When off, events are queued until you turn it on.', on: true, off: false }),
} satisfies SchemaOf<ForwardInput>;
type Draft = DraftOf<typeof schema>;

export const forwardRules: Rules<typeof schema> = {
  schema,
  applies: (path, draft) =>
    path === 'orderBy' ? draft.mode === 'ordered' : !path.startsWith('request.') || draft.request === 'own',
  check: ({ sign, headers: added, request, url: destination }) => ({
    headers:
      sign === 'fresh' && added.some(([name]) => name.trim() !== '')
        ? "A forward that re-signs events can't add headers: none of its events would be sent."
        : added.some(([, value]) => value.endsWith(presetToken))
          ? 'Replace TOKEN with your own.'
          : undefined,
    sign: sign === 'fresh' && request === 'own' ? "A request of its own can't be re-signed." : undefined,
    url: forwardPresets.some(preset => preset.url === destination.trim())
      ? 'This is the example of the preset. Enter your own URL.'
      : undefined,
  }),
};
/** The placeholder of a token in the headers of presets. */
const presetToken = 'Bearer TOKEN';

/** What a preset changes in the form. A URL and headers that were typed stay. */
export function withPreset({ url: destination, headers: added, sign }: Draft, preset: ForwardPreset): Partial<Draft> {
  const isUntouched = destination.trim() === '' || forwardPresets.some(one => one.url === destination.trim());
  const names = preset.headers.map(([name]) => name.toLowerCase());
  const others = added.filter(([name]) => name.trim() !== '' && !names.includes(name.trim().toLowerCase()));
  const ofPresets = forwardPresets.flatMap(one => one.headers.map(([name, value]) => `${name} ${value}`));
  return {
    ...(isUntouched && { url: preset.url }),
    headers: [...others.filter(([name, value]) => !ofPresets.includes(`${name} ${value}`)), ...preset.headers],
    request: 'own',
    'request.method': preset.request.method,
    'request.contentType': preset.request.contentType,
    'request.body': preset.request.body,
    ...(sign === 'fresh' && { sign: 'as-captured' }),
  };
}

const moreFields = ['retry.for', 'retry.first', 'retry.max', 'timeoutS', 'headers', 'per', 'sign', 'enabled'] as const;

/** Whether it has more than a name, a URL, a filter and an order. */
export function hasMore(draft: Draft): boolean {
  const usual = draftOf(schema, forwardDefaults);
  return moreFields.some(path => JSON.stringify(draft[path]) !== JSON.stringify(usual[path]));
}
