/* The section of an endpoint's settings for its redaction rules, which are tried on the newest events before they are saved. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { maxRedactionRules } from '../../shared/redaction.ts';
import { ActionButton } from '../kit/action.tsx';
import { Button, Checkbox, Field, IconButton, Notice, SelectField } from '../kit/controls.tsx';
import { confirm } from '../kit/dialogs.tsx';
import { text } from '../kit/fields.tsx';
import { Form, Inputs, useForm } from '../kit/form.tsx';
import { formatCount } from '../kit/format/time.ts';
import { visibleLine } from '../kit/format/visible.ts';
import { Card, Loaded } from '../kit/page.tsx';
import { showToast } from '../kit/toasts.tsx';
import { useQuestionBeforeClosing } from '../kit/use-draft.ts';
import { useQuery } from '../kit/use-query.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import { PreviewCard, usePreview } from './preview-card.tsx';
import { type Redaction, type RedactionApplied, redactionApi } from './redaction-api.ts';
import {
  draftOf,
  emptyRule,
  exampleOf,
  hasEmptyPath,
  type Refusal,
  type RuleDraft,
  refusalOf,
  ruleOf,
  targets,
  treatmentOptions,
} from './rule-draft.ts';

export function RedactionSection({ endpoint }: { endpoint: Endpoint }) {
  const query = useQuery(endpoint.id, () => redactionApi.rules(endpoint.id));
  return (
    <Loaded query={query} what="the redaction rules">
      {saved => <Editor endpointId={endpoint.id} saved={saved} onSaved={query.set} />}
    </Loaded>
  );
}

type EditorProps = { endpointId: string; saved: Redaction; onSaved: (saved: Redaction) => void };

function Editor({ endpointId, saved, onSaved }: EditorProps) {
  const { reloadEndpoints } = useWorkspace();
  const [drafts, setDrafts] = useState<readonly RuleDraft[]>(() => saved.rules.map(draftOf));
  const [others, setOthers] = useState({ otherBodies: saved.otherBodies, originalHash: saved.originalHash });
  const [refused, setRefused] = useState<Refusal>();
  const [isBusy, setIsBusy] = useState(false);
  const redaction = useMemo<Redaction>(() => ({ rules: drafts.map(ruleOf), ...others }), [drafts, others]);
  const isDirty = JSON.stringify(redaction) !== JSON.stringify(saved);
  const isIncomplete = hasEmptyPath(drafts);
  const preview = usePreview(endpointId, isIncomplete ? undefined : redaction);
  const refusal = refused ?? preview.refusal;
  useQuestionBeforeClosing(isDirty);
  const change = (next: readonly RuleDraft[]): void => {
    setRefused(undefined);
    setDrafts(next);
  };
  const show = (shown: Redaction): void => {
    change(shown.rules.map(draftOf));
    setOthers({ otherBodies: shown.otherBodies, originalHash: shown.originalHash });
  };
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    setIsBusy(true);
    try {
      const answer = await redactionApi.save(endpointId, redaction);
      onSaved(answer);
      show(answer);
      reloadEndpoints();
      showToast('Redaction saved. It applies to the next delivery.');
    } catch (error) {
      setRefused(refusalOf(error));
    }
    setIsBusy(false);
  };
  return (
    <>
      <Card
        title="Redaction"
        id="redaction"
        lead="Signatures are checked first. Then these rules take values out, before anything is stored: what they take reaches no disk, and does not come back."
      >
        <form class="col loose" noValidate onSubmit={save}>
          <RuleList drafts={drafts} refusal={refusal} onChange={change} />
          <OtherSettings value={others} onChange={setOthers} hasRules={drafts.length > 0} />
          {refusal && refusal.message !== '' && (
            <Notice tone="bad" title="These rules can't be saved">
              {refusal.message}
            </Notice>
          )}
          <div class="row">
            <Button type="submit" kind="primary" busy={isBusy} disabled={!isDirty || isIncomplete}>
              Save redaction
            </Button>
            {isDirty && <Button onClick={() => show(saved)}>Discard changes</Button>}
          </div>
        </form>
      </Card>
      {drafts.length > 0 && <PreviewCard endpointId={endpointId} preview={preview} isHeld={isIncomplete} />}
      {saved.rules.length > 0 && <ApplySection endpointId={endpointId} saved={saved} isDirty={isDirty} />}
    </>
  );
}

type RuleListProps = {
  drafts: readonly RuleDraft[];
  refusal: Refusal | undefined;
  onChange: (drafts: readonly RuleDraft[]) => void;
};

function RuleList({ drafts, refusal, onChange }: RuleListProps) {
  const list = useRef<HTMLOListElement>(null);
  const add = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState<number>();
  // A new rule gets the focus, and so does what is left after one was removed.
  useEffect(() => {
    if (focused === undefined) return;
    const rows = list.current?.querySelectorAll<HTMLElement>('select:first-of-type') ?? [];
    (rows.length === 0
      ? add.current?.querySelector('button')
      : list.current?.children[focused]?.querySelector('select')
    )?.focus();
    setFocused(undefined);
  }, [focused]);
  return (
    <>
      {drafts.length === 0 ? (
        <p class="faint">No rules: events are stored as they come.</p>
      ) : (
        <ol class="rows" aria-label="Rules" ref={list}>
          {drafts.map((draft, at) => (
            <RuleRow
              key={draft.key}
              draft={draft}
              number={at + 1}
              problem={refusal?.byRule.get(at) ?? ''}
              onChange={changed => onChange(drafts.map(one => (one.key === draft.key ? { ...one, ...changed } : one)))}
              onRemove={() => {
                onChange(drafts.filter(({ key }) => key !== draft.key));
                setFocused(Math.min(at, drafts.length - 2));
              }}
            />
          ))}
        </ol>
      )}
      <div ref={add}>
        <Button
          icon="plus"
          disabled={drafts.length >= maxRedactionRules}
          onClick={() => {
            onChange([...drafts, emptyRule()]);
            setFocused(drafts.length);
          }}
        >
          Add a rule
        </Button>
      </div>
    </>
  );
}

type RuleRowProps = {
  draft: RuleDraft;
  number: number;
  problem: string;
  onChange: (change: Partial<RuleDraft>) => void;
  onRemove: () => void;
};

function RuleRow({ draft, number, problem, onChange, onRemove }: RuleRowProps) {
  const example = exampleOf(draft.target);
  return (
    <li>
      <fieldset class="redaction-rule">
        <legend class="offscreen">Rule {number}</legend>
        <SelectField
          label="What"
          options={targets}
          value={draft.target}
          onPick={target => onChange({ target })}
          {...(example === undefined && { problem })}
        />
        {example !== undefined && (
          <Field
            label={draft.target === 'body' ? 'Path' : 'Name'}
            value={draft.path}
            placeholder={example}
            problem={problem}
            spellcheck={false}
            autocomplete="off"
            onText={path => onChange({ path })}
          />
        )}
        <SelectField
          label="How"
          options={treatmentOptions}
          value={draft.with}
          onPick={treatment => onChange({ with: treatment })}
        />
        <IconButton
          icon="trash"
          label={`Remove rule ${number}${draft.path && `, ${visibleLine(draft.path)}`}`}
          onClick={onRemove}
        />
      </fieldset>
    </li>
  );
}

type Others = Pick<Redaction, 'otherBodies' | 'originalHash'>;

const OtherSettings = (props: { value: Others; onChange: (value: Others) => void; hasRules: boolean }) => (
  <>
    <Checkbox
      label="Store bodies that rules can't read"
      hint={`Rules read JSON and forms. Text, XML, files, compressed bodies and broken JSON are ${props.value.otherBodies === 'keep' ? 'stored as they come' : props.hasRules ? 'dropped: their events are stored without a body' : 'dropped as soon as there is a rule'}.`}
      checked={props.value.otherBodies === 'keep'}
      onChange={isOn => props.onChange({ ...props.value, otherBodies: isOn ? 'keep' : 'drop' })}
    />
    <Checkbox
      label="Keep the SHA-256 of the original body"
      hint="It proves later what the body was. Someone who knows the rest of a body can guess a short secret from it."
      checked={props.value.originalHash === 'keep'}
      onChange={isOn => props.onChange({ ...props.value, originalHash: isOn ? 'keep' : 'drop' })}
    />
  </>
);

const schema = {
  where: text({
    label: 'Only events that match',
    placeholder: 'all events',
    hint: 'A filter, such as received>2026-01-01.',
  }),
};

type ApplySectionProps = { endpointId: string; saved: Redaction; isDirty: boolean };

function ApplySection({ endpointId, saved, isDirty }: ApplySectionProps) {
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
