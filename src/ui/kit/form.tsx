/* `useForm()` keeps, checks and sends the draft of a schema, and puts the server's problems at their fields; `Form` and `Inputs` render it. */

import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError } from './api.ts';
import { Button, Notice } from './controls.tsx';
import { confirm, type Question } from './dialogs.tsx';
import type { IconName } from './icons.tsx';
import {
  appliedPaths,
  type DraftOf,
  differenceOf,
  draftOf,
  type FieldDraft,
  type FieldTexts,
  fieldFor,
  type Input,
  isShown,
  type Problems,
  problemsOf,
  type Rules,
  requestOf,
  type Schema,
  withoutSecrets,
} from './schema.ts';
import { messageOf } from './toasts.tsx';
import { type Restored, useDraft } from './use-draft.ts';

type FormOptions<S extends Schema, T, R> = Rules<S> & {
  /** What is edited, or the defaults of something new. */
  initial?: object;
  /** Whether it is created, as by default: all fields are sent, and not only changed ones. */
  isNew?: boolean;
  /** Under which the unsaved draft is kept in the browser. Without it, a draft ends with the page. */
  name?: string;
  /** The field that shows a problem that belongs to none, in a form of one or two fields. */
  messageAt?: NoInfer<keyof S & string>;
  /** Before the paths of the schema in the problems of the server, such as `guard`. */
  prefix?: string;
  /** Asked before it is saved, if it returns a question. */
  question?: (request: T) => Omit<Question, 'run'> | undefined;
  /** Whether the draft stays after it was sent, because it may be sent again. */
  staysFilled?: boolean;
  /** Only sends the request. It is not called without a change. */
  save: (request: T, draft: DraftOf<S>) => Promise<R>;
  /** @param saved undefined when nothing differed */
  onSaved?: (saved: R | undefined) => void;
};

type Kept = Pick<ReturnType<typeof useDraft<object>>, 'isDirty' | 'restored' | 'discard' | 'forget'>;

/** What `Form` and `InlineForm` need of a form. */
export type FormState = Kept & {
  element: { current: HTMLFormElement | null };
  isBusy: boolean;
  /** A problem that belongs to no field. */
  message: string;
  submit: (event?: Event) => Promise<void>;
};
export type FormOf<S extends Schema> = FormState & {
  rules: Rules<S>;
  draft: DraftOf<S>;
  error: unknown;
  change: (changed: Partial<DraftOf<S>>) => void;
  /** For a component of its own. */
  input: <P extends keyof S & string>(path: P) => Input<DraftOf<S>[P]>;
};

export function useForm<S extends Schema, T = unknown, R = unknown>(options: FormOptions<S, T, R>): FormOf<S> {
  const { schema, initial = {}, isNew = true, save, onSaved } = options;
  const savedText = JSON.stringify(draftOf(schema, initial));
  const saved = useMemo(() => draftOf(schema, initial), [savedText]);
  const {
    draft,
    change: changeDraft,
    settle,
    ...kept
  } = useDraft(options.name, saved, whole => withoutSecrets(schema, whole));
  const [error, setError] = useState<unknown>();
  /** Saving was tried: empty fields may be wrong from now on. */
  const [isTried, setIsTried] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const element = useRef<HTMLFormElement>(null);
  const own = problemsOf(options, draft);
  const { problems: found, message } = placeProblems(error, appliedPaths(options, draft), options);
  const focusProblem = useProblemFocus(element);

  const submit = async (event?: Event): Promise<void> => {
    event?.preventDefault();
    if (isBusy) return;
    setIsTried(true);
    if (Object.keys(own).length > 0) return focusProblem();
    const request = requestOf(options, draft);
    const sent = isNew ? request : differenceOf(requestOf(options, saved), request);
    const question = options.question?.(sent as T);
    if (question && !(await confirm(question))) return;
    setIsBusy(true);
    try {
      const result = isNew || Object.keys(sent).length > 0 ? await save(sent as T, draft) : undefined;
      setError(undefined);
      setIsTried(false);
      if (!options.staysFilled) settle(isNew);
      onSaved?.(result);
    } catch (problem) {
      setError(problem);
      focusProblem();
    }
    setIsBusy(false);
  };
  const problemOf = (path: keyof S & string): string => {
    const problem = own[path];
    return (isShown(problem, draft[path], isTried) ? problem : found[path]) ?? '';
  };
  const change = (changed: Partial<DraftOf<S>>): void => {
    setError(undefined);
    changeDraft(changed);
  };
  return {
    ...{ element, isBusy, message, error, submit, draft, change, rules: options, ...kept },
    input: path => ({
      value: draft[path],
      problem: problemOf(path),
      change: (value: FieldDraft) => change({ [path]: value } as Partial<DraftOf<S>>),
    }),
  };
}

type PlaceOptions = { prefix?: string; messageAt?: string };

/** The problems of an error at their fields; a message when one of them belongs to no field that is shown. */
function placeProblems(error: unknown, paths: readonly string[], { prefix, messageAt }: PlaceOptions) {
  const problems: Problems = {};
  if (error === undefined) return { problems, message: '' };
  const found = error instanceof ApiError ? error.problems : [];
  const places = found.map(({ path }) => fieldFor(paths, prefix ? path.replace(`${prefix}.`, '') : path));
  for (const [at, place] of places.entries()) if (place !== undefined) problems[place] ??= found[at]?.message;
  if (places.length > 0 && !places.includes(undefined)) return { problems, message: '' };
  const message = messageOf(error);
  return messageAt ? { problems: { [messageAt]: message, ...problems }, message: '' } : { problems, message };
}

/** Puts the focus on the first wrong field, once the problems are rendered. */
function useProblemFocus(form: { current: HTMLFormElement | null }): () => void {
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    if (asked === 0) return;
    const frame = requestAnimationFrame(() => {
      const field = form.current?.querySelector<HTMLElement>('[aria-invalid]');
      const closed = field?.closest('details');
      if (closed) closed.open = true;
      field?.focus();
    });
    return () => cancelAnimationFrame(frame);
  }, [asked]);
  return () => setAsked(n => n + 1);
}

export type FieldsOf<S extends Schema> = Pick<FormOf<S>, 'rules' | 'draft' | 'input'>;

type InputsProps<S extends Schema> = {
  form: FieldsOf<S>;
  paths: readonly NoInfer<keyof S & string>[];
  texts?: { [P in keyof S]?: FieldTexts };
};

export function Inputs<S extends Schema>({ form, paths, texts = {} }: InputsProps<S>) {
  const applied = appliedPaths(form.rules, form.draft);
  return (
    <>
      {paths.map(path => {
        const View = form.rules.schema[path]?.View;
        if (!View || !applied.includes(path)) return null;
        return (
          <Fragment key={path}>
            <View input={form.input(path)} texts={texts[path] ?? {}} />
          </Fragment>
        );
      })}
    </>
  );
}

type FormProps = {
  form: FormState;
  /** What is edited, such as `forward`: for messages. */
  what?: string;
  title?: string;
  class?: string;
  submit: string;
  submitKind?: 'primary' | 'plain' | 'danger';
  submitIcon?: IconName;
  isLocked?: boolean;
  isDialog?: boolean;
  /** Further buttons, before or after the save button. */
  cancel?: ComponentChildren;
  after?: ComponentChildren;
  /** The title of a problem that belongs to no field, and a link or button that helps. */
  failed?: string;
  help?: ComponentChildren;
  /** Scrolls to the form when it appears, and focuses its first field. */
  isFocused?: boolean;
  children: ComponentChildren;
};

export function Form({ form, what, title, children, isFocused = false, ...props }: FormProps) {
  const { element, message, restored, discard, submit, isBusy } = form;
  const titleId = useId();
  useEffect(() => {
    if (!isFocused) return;
    element.current?.scrollIntoView({ block: 'nearest' });
    element.current?.querySelector<HTMLElement>('input:checked, input:not([type="radio"], [tabindex])')?.focus();
  }, []);
  const failed = props.failed ?? (what === undefined ? undefined : `The ${what} wasn't saved`);
  const button = (
    <Button
      type="submit"
      kind={props.submitKind ?? 'primary'}
      {...(props.submitIcon && { icon: props.submitIcon })}
      busy={isBusy}
      disabled={props.isLocked ?? false}
    >
      {props.submit}
    </Button>
  );
  return (
    <form
      class={props.class}
      aria-labelledby={title && titleId}
      ref={element}
      noValidate
      onSubmit={submit}
      onKeyDown={event => {
        // From a field of several lines, where Enter begins the next one.
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !props.isLocked) void submit(event);
      }}
    >
      {title && <h2 id={titleId}>{title}</h2>}
      {what !== undefined && <RestoredNotice restored={restored} what={what} onDiscard={discard} />}
      {children}
      {message && (
        <Notice tone="bad" {...(failed !== undefined && { title: failed })} action={props.help}>
          {message}
        </Notice>
      )}
      {props.isDialog || props.cancel || props.after ? (
        <div class={props.after ? 'row' : 'line end'}>
          {props.cancel}
          {button}
          {props.after}
        </div>
      ) : (
        button
      )}
    </form>
  );
}

type InlineFormProps = {
  form: FormState;
  class?: string;
  submit: string;
  submitKind?: 'primary' | 'plain';
  isLocked?: boolean;
  children: ComponentChildren;
};

export const InlineForm = ({ form, submit, submitKind = 'plain', isLocked = false, ...props }: InlineFormProps) => (
  <form class={props.class ?? 'inline-form'} ref={form.element} noValidate onSubmit={form.submit}>
    {props.children}
    <Button type="submit" kind={submitKind} busy={form.isBusy} disabled={isLocked}>
      {submit}
    </Button>
  </form>
);

/** `what`: what is edited, such as `rules`. */
type RestoredNoticeProps = { restored: Restored; what: string; onDiscard: () => void };

/** Says that a form shows unsaved changes of an earlier visit. */
export const RestoredNotice = ({ restored, what, onDiscard }: RestoredNoticeProps) =>
  restored === 'no' ? null : (
    <Notice
      tone="warn"
      title={
        restored === 'yes' ? 'Your unsaved changes are still here' : `Your unsaved changes are older than the ${what}`
      }
      action={<Button onClick={onDiscard}>Discard changes</Button>}
    >
      {restored === 'yes'
        ? 'You left this page without saving.'
        : what === 'rules'
          ? 'Someone has changed the rules since then. Saving overwrites their changes.'
          : `Someone has changed the ${what} since then. Saving overwrites their changes.`}
    </Notice>
  );
