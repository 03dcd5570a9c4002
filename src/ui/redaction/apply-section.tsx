/* Applies the saved rules to events that are stored already: first counted, then done. */

import { useState } from 'preact/hooks';
import { ActionButton } from '../kit/action.tsx';
import { Field, Notice } from '../kit/controls.tsx';
import { confirm } from '../kit/dialogs.tsx';
import { formatCount } from '../kit/format/time.ts';
import { Card } from '../kit/page.tsx';
import { showToast } from '../kit/toasts.tsx';
import { type RedactionApplied, redactionApi } from './redaction-api.ts';

export function ApplySection({ endpointId, isDirty }: { endpointId: string; isDirty: boolean }) {
  const [where, setWhere] = useState('');
  const [found, setFound] = useState<RedactionApplied & { where: string }>();
  const count = async (): Promise<void> => {
    setFound({ where, ...(await redactionApi.apply(endpointId, where, true)) });
  };
  const apply = (): Promise<boolean> =>
    confirm({
      title: `Redact ${formatCount(found?.changed ?? 0, 'stored event')}?`,
      text: "What the rules take out is deleted from this server's disk and from its backups. What was kept of these events' replays is deleted, too. This can't be undone.",
      button: 'Redact stored events',
      async run() {
        const { changed } = await redactionApi.apply(endpointId, where, false);
        setFound(undefined);
        showToast(`${formatCount(changed, 'event')} redacted.`);
      },
    });
  const isCounted = found?.where === where;
  return (
    <Card title="Stored events" lead="Rules hold for new deliveries. Apply the saved rules to stored events here.">
      <Field
        label="Only events that match"
        value={where}
        placeholder="all events"
        hint="A filter, such as received>2026-01-01."
        spellcheck={false}
        autocomplete="off"
        onText={setWhere}
      />
      {isDirty && <Notice tone="warn">Your changes aren't saved. The saved rules would be applied.</Notice>}
      {isCounted && (
        <p role="status">
          {formatCount(found.events, 'event')} found, {found.changed === 0 ? 'none' : found.changed} of which would
          change.
        </p>
      )}
      <div class="row">
        <ActionButton act={count}>Count</ActionButton>
        {isCounted && found.changed > 0 && (
          <ActionButton kind="danger" act={apply}>
            Redact {formatCount(found.changed, 'stored event')}…
          </ActionButton>
        )}
      </div>
    </Card>
  );
}
