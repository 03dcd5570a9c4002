/* The section of an endpoint's settings for its redaction rules, which are tried on the newest events before they are saved. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { maxRedactionRules } from '../../shared/redaction.ts';
import { Button, Checkbox, Field, IconButton, Notice, SelectField } from '../kit/controls.tsx';
import { visibleLine } from '../kit/format/visible.ts';
import { Card, Loaded } from '../kit/page.tsx';
import { showToast } from '../kit/toasts.tsx';
import { useQuestionBeforeClosing } from '../kit/use-draft.ts';
import { useQuery } from '../kit/use-query.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import { ApplySection } from './apply-section.tsx';
import { PreviewCard, usePreview } from './preview-card.tsx';
import { type Redaction, redactionApi } from './redaction-api.ts';
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
