/* How an endpoint answers: its rules, which are edited here and tried on the newest deliveries before they are saved. */

import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { AnswerPreview, AnswerRule } from '../../features/answers/model.ts';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { answerPresets } from '../../shared/answer-presets.ts';
import { describeAnswer, isSuccess } from '../../shared/answer-rule.ts';
import { PlatformMark } from '../inspector/event/badges.tsx';
import { seenValues } from '../inspector/filter/seen-values.ts';
import type { SeenSource } from '../inspector/filter/use-seen-values.ts';
import { titleOf } from '../inspector/list/row-text.ts';
import { exampleOf } from '../inspector/placeholders.ts';
import { api } from '../kit/api.ts';
import { Button, Notice, Skeleton } from '../kit/controls.tsx';
import { confirm } from '../kit/dialogs.tsx';
import { RestoredNotice } from '../kit/form.tsx';
import { formatCount } from '../kit/format/time.ts';
import { visibleLine } from '../kit/format/visible.ts';
import { keyLabel } from '../kit/key-label.ts';
import { Link } from '../kit/navigation.tsx';
import { Card, DeclaredNotice, Loaded, Page, Row, WithEndpoint } from '../kit/page.tsx';
import { Time } from '../kit/time.tsx';
import { useHotkeys, useKeyNotes } from '../kit/use-hotkeys.ts';
import { useQuery } from '../kit/use-query.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import { RuleList } from './rule-list.tsx';
import { draftOf, namesOf, type RuleDraft } from './rule-schema.tsx';
import { type AnswersEditor, type Preview, useAnswers } from './use-answers.ts';

export const AnswersPage = ({ endpointId }: { endpointId: string }) => (
  <WithEndpoint id={endpointId}>
    {endpoint => (
      <Page class="answers" title="Answers" of={endpoint.name}>
        <Editor endpoint={endpoint} />
      </Page>
    )}
  </WithEndpoint>
);

function Editor({ endpoint }: { endpoint: Endpoint }) {
  const { reloadEndpoints } = useWorkspace();
  const editor = useAnswers(endpoint.id, reloadEndpoints);
  const { drafts } = editor;
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const { seen, example } = useExamples(endpoint.id, editor.preview);
  const body = useRef<HTMLDivElement>(null);
  const toProblem = useProblemFocus(editor, setOpen, body);
  const save = async (): Promise<void> => {
    if (!editor.isDirty || editor.isBusy) return;
    if (editor.hasProblems || !(await editor.save())) toProblem();
  };
  useKeyNotes({ 'Alt+ArrowUp': 'Move the rule up', 'Alt+ArrowDown': 'Move the rule down' });
  useHotkeys({ 'Mod+s': { label: 'Save the answers', run: () => void save() } });
  if (!drafts)
    return (
      <Loaded query={editor.loading} what="the rules">
        {() => null}
      </Loaded>
    );
  return (
    <div class="answers-body" ref={body}>
      <div class="col loose">
        <p class="lead">
          Mock responses for senders. Rules are tried in order; the first match decides the response. If none matches,
          senders get 200 and the event id. Every delivery is stored.
        </p>
        <RestoredNotice restored={editor.restored} what="rules" onDiscard={editor.discard} />
        {endpoint.declared && <DeclaredNotice what="rules" />}
        <RuleList editor={editor} drafts={drafts} open={open} setOpen={setOpen} seen={seen} example={example} />
        {editor.problem && (
          <Notice tone="bad" title="The rules weren't saved">
            {editor.problem}
          </Notice>
        )}
        <SaveBar editor={editor} onSave={save} />
        <Presets
          hasRules={drafts.length > 0}
          onPick={picked => {
            editor.setDrafts(picked);
            setOpen(new Set());
          }}
        />
        <ResetSection editor={editor} />
      </div>
      <PreviewPanel
        endpointId={endpoint.id}
        preview={editor.preview}
        rules={editor.rules}
        names={namesOf(drafts)}
        isHeld={editor.hasProblems || editor.preview.refusal !== undefined}
      />
    </div>
  );
}

/** Unfolds the rules that have problems and puts the focus on the first wrong field. */
function useProblemFocus(
  { drafts = [], problemsOf }: AnswersEditor,
  setOpen: (change: (open: ReadonlySet<number>) => ReadonlySet<number>) => void,
  body: { current: HTMLElement | null },
): () => void {
  const [asked, setAsked] = useState(0);
  const latest = useRef({ drafts, problemsOf });
  latest.current = { drafts, problemsOf };
  useEffect(() => {
    if (asked === 0) return;
    const isWrong = ({ key }: RuleDraft): boolean => Object.keys(latest.current.problemsOf(key)).length > 0;
    const wrong = latest.current.drafts.filter(isWrong).map(({ key }) => key);
    setOpen(open => new Set([...open, ...wrong]));
    // After the fields are rendered.
    const frame = requestAnimationFrame(() =>
      body.current?.querySelector<HTMLElement>('.rule [aria-invalid]')?.focus(),
    );
    return () => cancelAnimationFrame(frame);
  }, [asked]);
  return () => setAsked(n => n + 1);
}

const SaveBar = ({ editor, onSave }: { editor: AnswersEditor; onSave: () => Promise<void> }) => (
  <div class={`save-bar card row ${editor.isDirty ? 'dirty' : ''}`}>
    <span class={editor.hasProblems ? 'bad' : 'faint'} role="status">
      {editor.isDirty
        ? editor.hasProblems
          ? 'Correct the marked fields, then save.'
          : 'Unsaved changes. Saving resets all counters.'
        : formatCount(editor.saved?.length ?? 0, 'rule').replace(/^0 rules$/, 'No rules: senders get 200')}
    </span>
    <span class="grow" />
    {editor.isDirty && <Button onClick={editor.discard}>Discard changes</Button>}
    <Button
      kind="primary"
      busy={editor.isBusy}
      disabled={!editor.isDirty}
      title={`Save (${keyLabel('Mod+s')})`}
      onClick={onSave}
    >
      Save
    </Button>
  </div>
);

function ResetSection({ editor }: { editor: AnswersEditor }) {
  const count = editor.saved?.length ?? 0;
  if (count === 0) return null;
  const reset = () =>
    confirm({
      title: 'Reset to the default answer?',
      text: `${count === 1 ? 'The rule is' : `All ${count} rules are`} removed, and unsaved changes are lost. Senders get 200 from the next delivery.`,
      button: 'Reset',
      run: editor.reset,
    });
  return (
    <div class="row">
      <Button kind="danger" onClick={reset}>
        Reset to the default answer
      </Button>
    </div>
  );
}

/** Values from the newest deliveries and the schemas, for completion and placeholders. */
function useExamples(endpointId: string, { value }: Preview) {
  const events = value?.events;
  const newestId = events?.[0]?.event.id ?? '';
  const event = useQuery(newestId, async () => (newestId === '' ? undefined : await api.event(newestId))).value;
  const [isAsked, setIsAsked] = useState(false);
  const schemas = useQuery(isAsked ? endpointId : '', () => (isAsked ? api.schemas(endpointId) : Promise.resolve([])));
  const load = useCallback((): void => setIsAsked(true), []);
  const read = useCallback(
    () => seenValues({ schemas: schemas.value ?? [], rows: events?.map(one => one.event) ?? [], event }),
    [schemas.value, events, event],
  );
  const seen = useMemo<SeenSource>(() => ({ load, read }), [load, read]);
  const example = useMemo(() => event && exampleOf(event), [event]);
  return { seen, example };
}

const Presets = ({ hasRules, onPick }: { hasRules: boolean; onPick: (drafts: RuleDraft[]) => void }) => (
  <Card
    title="Presets"
    lead={`${hasRules ? 'A preset replaces the rules above.' : 'Start from one of these.'} Nothing changes until you save.`}
  >
    <ul class="rows">
      {answerPresets.map(({ name, title, description, rules }) => (
        <Row key={name} name={title} about={description}>
          <Button aria-label={`Use the preset ${title}`} onClick={() => onPick(rules.map(draftOf))}>
            Use
          </Button>
        </Row>
      ))}
    </ul>
  </Card>
);

type PreviewPanelProps = {
  endpointId: string;
  preview: Preview;
  /** The rules that were tried, with the names that they have when saved. */
  rules: readonly AnswerRule[];
  names: readonly string[];
  /** The rules have a problem, so the preview shows earlier ones. */
  isHeld: boolean;
};

function PreviewPanel({ endpointId, preview: { value, problem }, rules, names, isHeld }: PreviewPanelProps) {
  const events = value?.events;
  return (
    <section class="card section answers-preview" aria-labelledby="preview-title">
      <h2 id="preview-title">Preview</h2>
      <p class="lead">
        What the last ten deliveries would get with the rules as edited here. Counters start at the oldest one. Until
        you edit the rules, deliveries since they were saved show what they got.
      </p>
      {isHeld && <Notice tone="warn">Fix the marked fields to update this preview.</Notice>}
      {problem && <Notice tone="bad">{problem}</Notice>}
      {!events && !problem && <Skeleton rows={4} />}
      {events?.length === 0 && <p class="faint">No deliveries yet. The last ten appear here.</p>}
      {events && events.length > 0 && (
        <ol class="rows preview-rows" aria-label="Preview">
          {events.map(one => (
            <PreviewRow
              key={one.event.id}
              endpointId={endpointId}
              row={one}
              rule={rules[names.indexOf(one.rule ?? '')]}
            />
          ))}
        </ol>
      )}
    </section>
  );
}

type PreviewRowProps = {
  endpointId: string;
  row: AnswerPreview['events'][number];
  /** Undefined for the default answer. */
  rule: AnswerRule | undefined;
};

const PreviewRow = ({ endpointId, row: { event, rule: name, status }, rule }: PreviewRowProps) => (
  <li>
    <PlatformMark platform={event.platform} />
    <span class="stack grow">
      <Link class="cut" to={`/app/endpoints/${endpointId}/events/${event.id}`}>
        {titleOf(event).text}
      </Link>
      <span class="faint small">
        {event.method} · <Time at={event.receivedAt} />
      </span>
    </span>
    <span class="stack preview-answer">
      <span class={`badge cut ${rule ? (isSuccess(rule) ? 'good' : 'bad') : ''}`}>
        {rule ? describeAnswer(rule) : (status ?? 'cut off')}
      </span>
      <span class="faint small cut">
        {event.refused === null ? (name === null ? 'default' : visibleLine(name)) : 'refused by the guard'}
      </span>
    </span>
  </li>
);
