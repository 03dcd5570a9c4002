/* “Always redact this field”: makes a rule of a field of an open event. */

import { useMemo, useState } from 'preact/hooks';
import type { Treatment } from '../../shared/redaction.ts';
import { Button, Dialog, Notice, SelectField } from '../kit/controls.tsx';
import { visibleLine } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { messageOf, showToast } from '../kit/toasts.tsx';
import { usePreview } from './preview-card.tsx';
import { redactionApi } from './redaction-api.ts';
import { countOf, ruleForField, treatmentOptions } from './rule-draft.ts';

type RedactFieldDialogProps = { endpointId: string; field: string; onClose: () => void };

export function RedactFieldDialog({ endpointId, field, onClose }: RedactFieldDialogProps) {
  const [treatment, setTreatment] = useState<Treatment>('mask');
  const [problem, setProblem] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const rule = useMemo(() => ruleForField(field, treatment), [field, treatment]);
  // The rule is about this field alone: other bodies stay out of its preview.
  const { value, ...preview } = usePreview(
    endpointId,
    useMemo(() => rule && { rules: [rule], otherBodies: 'keep', originalHash: 'drop' }, [rule]),
  );
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!rule) return;
    setIsBusy(true);
    try {
      const saved = await redactionApi.rules(endpointId);
      await redactionApi.save(endpointId, { ...saved, rules: [...saved.rules, rule] });
      showToast('Redaction saved. It applies to the next delivery.');
      onClose();
    } catch (error) {
      setProblem(messageOf(error));
    }
    setIsBusy(false);
  };
  const events = value?.events;
  const changed = events?.filter(({ changes }) => changes.length > 0) ?? [];
  const example = changed[0]?.changes[0];
  const shownProblem =
    problem || preview.problem || preview.refusal?.message || [...(preview.refusal?.byRule.values() ?? [])][0];
  return (
    <Dialog title="Always redact this field" onClose={onClose}>
      <form class="col" noValidate onSubmit={save}>
        <p>
          <code class="breaks">{visibleLine(field)}</code> is taken out of every later delivery, before it is stored.
          This event stays as it is.
        </p>
        <SelectField label="How" options={treatmentOptions} value={treatment} onPick={setTreatment} />
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
        {shownProblem && (
          <Notice tone="bad" title="The rule wasn't saved">
            {shownProblem}
          </Notice>
        )}
        <p class="hint">
          Bodies that rules can't read, such as XML, may be dropped as soon as there is a rule: see the{' '}
          <Link to={`/app/endpoints/${endpointId}/settings/redaction`}>redaction rules</Link>.
        </p>
        <div class="line end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={isBusy} disabled={!rule}>
            Save rule
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
