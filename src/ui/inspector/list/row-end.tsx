/* The end of a row: what needs a look, or a tick for a valid signature. The state of the signature is always read aloud. */

import type { EventSummary } from '../../../features/events/model.ts';
import { Icon } from '../../kit/icons.tsx';
import { describeOutcome } from '../event/answered.ts';
import { exceptionOf, type ShownAttempts, signatureOf } from './row-text.ts';

export function RowEnd({ event, attempts }: { event: EventSummary; attempts: ShownAttempts }) {
  const exception = exceptionOf(event, attempts);
  const signature = signatureOf(event);
  return (
    <>
      {exception && (
        <span class={`badge ${exception.tone}`} title={exception.tone === 'warn' ? describeOutcome(event) : undefined}>
          {exception.text}
        </span>
      )}
      {event.verdict === 'valid' && !exception && (
        <span class="tick rigid faint" title={signature}>
          <Icon name="check" />
        </span>
      )}
      {exception?.tone !== 'bad' && <span class="offscreen">{signature}</span>}
    </>
  );
}
