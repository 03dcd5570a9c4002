/* “Always redact this field”: makes a rule of a field of an open event. */

import { useMemo } from 'preact/hooks';
import { Button, Dialog, Notice } from '../kit/controls.tsx';
import { choice } from '../kit/fields.tsx';
import { Form, Inputs, useForm } from '../kit/form.tsx';
import { visibleLine } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { showToast } from '../kit/toasts.tsx';
import { usePreview } from './preview-card.tsx';
import { redactionApi } from './redaction-api.ts';
import { countOf, ruleForField, treatmentOptions } from './rule-draft.ts';

const schema = { with: choice({ label: 'How', options: treatmentOptions }) };

type RedactFieldDialogProps = { endpointId: string; field: string; onClose: () => void };

export function RedactFieldDialog({ endpointId, field, onClose }: RedactFieldDialogProps) {
  const form = useForm({
    schema,
    initial: { with: 'mask' },
    async save() {
      const saved = await redactionApi.rules(endpointId);
      if (rule) await redactionApi.save(endpointId, { ...saved, rules: [...saved.rules, rule] });
    },
    onSaved() {
      showToast('Redaction saved. It applies to the next delivery.');
      onClose();
    },
  });
  const treatment = form.draft.with;
  const rule = useMemo(() => ruleForField(field, treatment), [field, treatment]);
  // The rule is about this field alone: other bodies stay out of its preview.
  const { value, problem, refusal } = usePreview(
    endpointId,
    useMemo(() => rule && { rules: [rule], otherBodies: 'keep', originalHash: 'drop' }, [rule]),
  );
  const events = value?.events;
  const changed = events?.filter(({ changes }) => changes.length > 0) ?? [];
  const example = changed[0]?.changes[0];
  const wrong = problem || refusal?.message || [...(refusal?.byRule.values() ?? [])][0];
  return (
    <Dialog title="Always redact this field" onClose={onClose}>
      <Form
        form={form}
        class="col"
        submit="Save rule"
        isLocked={!rule}
        cancel={<Button onClick={onClose}>Cancel</Button>}
        failed="The rule wasn't saved"
      >
        <p>
          <code class="breaks">{visibleLine(field)}</code> is taken out of every later delivery, before it is stored.
          This event stays as it is.
        </p>
        <Inputs form={form} paths={['with']} />
        {events && (
          <p role="status" class="faint breaks">
            {countOf(changed.length, events.length)}{' '}
            {example && (
              <>
                Example: {visibleLine(example.before)} →{' '}
                {example.after === null ? 'removed' : visibleLine(example.after)}
              </>
            )}
          </p>
        )}
        {wrong && !form.message && (
          <Notice tone="bad" title="The rule wasn't saved">
            {wrong}
          </Notice>
        )}
        <p class="hint">
          Bodies that rules can't read, such as XML, may be dropped as soon as there is a rule: see the{' '}
          <Link to={`/app/endpoints/${endpointId}/settings/redaction`}>redaction rules</Link>.
        </p>
      </Form>
    </Dialog>
  );
}
