/* What redaction took out of an open event, the marks of values that it changed, and the button that makes a rule of a field. */

import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { EventDetail } from '../../../features/events/model.ts';
import { Button, IconButton } from '../../kit/controls.tsx';
import { formatCount } from '../../kit/format/time.ts';
import { visibleLine } from '../../kit/format/visible.ts';
import { useEventActions } from './event-actions.ts';

type Redacted = EventDetail['redacted'];

export const RedactedContext = createContext<Redacted>(null);

const marks = [
  [/^\*{4}(?:.{4})?$/su, 'masked'],
  [/^hash_[\w-]{16}$/, 'hashed'],
  [/\[removed\]|\*{4}|hash_[\w-]{16}/, 'redacted in part'],
] as const;

/** What redaction did with a value, for a field that it changed; undefined if it did nothing. */
export function useRedactedMark(): (field: string | undefined, value: string) => string | undefined {
  const redacted = useContext(RedactedContext);
  return (field, value) =>
    field !== undefined && redacted?.fields.includes(field)
      ? marks.find(([pattern]) => pattern.test(value))?.[1]
      : undefined;
}

export const RedactedMark = ({ mark }: { mark: string | undefined }) =>
  mark === undefined ? null : (
    <span class="badge muted redacted-mark" title="A redaction rule changed this value before it was stored.">
      {mark}
    </span>
  );

export function RedactedFields({ redacted }: { redacted: Redacted }) {
  if (!redacted) return null;
  const { rules, fields, sha256 } = redacted;
  return (
    <details class="redacted-fields full small">
      <summary class="soft">
        Redacted: {formatCount(fields.length, 'field')}
        {rules > 0 && ` by ${formatCount(rules, 'rule')}`}
      </summary>
      <p class="breaks">{fields.map(visibleLine).join(', ')}</p>
      <p class="faint breaks">
        {sha256 === null ? 'The SHA-256 of the original body was not kept.' : `SHA-256 of the original body: ${sha256}`}
      </p>
    </details>
  );
}

const label = 'Always redact this field';

/** Nothing for a field that no rule can name, and on pages without rules. */
export function RedactField({ field, isWide = false }: { field: string | undefined; isWide?: boolean }) {
  const { redact } = useEventActions();
  if (!redact || field === undefined || !/^(?:body|header|query)[.[]/.test(field)) return null;
  const props = { title: `${label}: ${visibleLine(field)}`, onClick: () => redact(field) };
  return isWide ? (
    <Button kind="quiet" icon="shield" {...props}>
      Redact
    </Button>
  ) : (
    <IconButton icon="shield" class="mini" label={`${label}: ${visibleLine(field)}`} {...props} />
  );
}
