/* Applies the saved rules to events that are stored already: first counted, then done. */

import { useState } from 'preact/hooks';
import { ActionButton } from '../kit/action.tsx';
import { Notice } from '../kit/controls.tsx';
import { confirm } from '../kit/dialogs.tsx';
import { text } from '../kit/fields.tsx';
import { Form, Inputs, useForm } from '../kit/form.tsx';
import { formatCount } from '../kit/format/time.ts';
import { Card } from '../kit/page.tsx';
import { showToast } from '../kit/toasts.tsx';
import { type Redaction, type RedactionApplied, redactionApi } from './redaction-api.ts';

const schema = {
  where: text({
    label: 'Only events that match',
    placeholder: 'all events',
    hint: 'A filter, such as received>2026-01-01.',
  }),
};

type ApplySectionProps = { endpointId: string; saved: Redaction; isDirty: boolean };

export function ApplySection({ endpointId, saved, isDirty }: ApplySectionProps) {
  const [counted, setCounted] = useState<RedactionApplied & { where: string; rules: Redaction }>();
  const form = useForm({
    schema,
    messageAt: 'where',
    staysFilled: true,
    save: async (_: unknown, { where }) => {
      setCounted(undefined);
      setCounted({ where, rules: saved, ...(await redactionApi.apply(endpointId, where, true)) });
    },
  });
  // A count is of one filter and of the rules of that time.
  const found = counted?.where === form.draft.where && counted.rules === saved ? counted : undefined;
  const apply = ({ where, changed }: { where: string; changed: number }) =>
    confirm({
      title: `Redact ${formatCount(changed, 'stored event')}?`,
      text: "What the rules take out is deleted from this server's disk and from its backups. What was kept of these events' replays is deleted, too. This can't be undone.",
      button: 'Redact stored events',
      async run() {
        const applied = await redactionApi.apply(endpointId, where, false);
        setCounted(undefined);
        showToast(`${formatCount(applied.changed, 'event')} redacted.`);
      },
      // The button that had the focus is gone.
      onDone: () => form.element.current?.querySelector('input')?.focus(),
    });
  return (
    <Card title="Stored events" lead="Rules hold for new deliveries. Apply the saved rules to stored events here.">
      <Form form={form} submit="Count" submitKind="plain">
        <Inputs form={form} paths={['where']} />
      </Form>
      {isDirty && <Notice tone="warn">Your changes aren't saved. The saved rules would be applied.</Notice>}
      {found && (
        <p role="status">
          {formatCount(found.events, 'event')} found, {found.changed === 0 ? 'none' : found.changed.toLocaleString()} of
          which would change.
        </p>
      )}
      {found && found.changed > 0 && (
        <div class="row">
          <ActionButton kind="danger" act={() => apply(found)}>
            Redact {formatCount(found.changed, 'stored event')}…
          </ActionButton>
        </div>
      )}
    </Card>
  );
}
