/* The fields of which forms are made: how each reads a value, checks what was typed, and is shown. */

import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { maxDurationCharacters, parseDuration } from '../../shared/units.ts';
import { Button, Checkbox, Field, IconButton, Labelled, SelectField } from './controls.tsx';
import { readDestination } from './destination.ts';
import type { FieldDraft, FormField, Pair } from './schema.ts';

type TextOptions = {
  label: string;
  hideLabel?: boolean;
  hint?: ComponentChildren;
  placeholder?: string;
  /** What to say when nothing was entered. Without it, the field may stay empty. */
  required?: string;
  type?: 'text' | 'email' | 'password' | 'datetime-local';
  name?: string;
  autocomplete?: AutoFill;
  inputMode?: 'text' | 'email' | 'url' | 'numeric' | 'decimal';
  maxLength?: number;
  autoFocus?: boolean;
  isSelected?: boolean;
  list?: string;
};
type AutoFill = 'off' | 'username' | 'username webauthn' | 'current-password' | 'new-password' | 'one-time-code';
type Reader<V> = {
  from?: (value: V) => string;
  to: (text: string) => V;
  problem?: (text: string) => string | undefined;
};

/** A field that is typed, in one line. An empty one becomes null, unless it is required. */
export function typed<V>({ required, ...options }: TextOptions, reader: Reader<V>): FormField<string, V> {
  const { label, hint, isSelected = false, ...rest } = options;
  // The attributes of an input are a union over its type, into which an input of any of these types does not fit.
  const attributes = rest as InputHTMLAttributes;
  return {
    from: value => (value === null || value === undefined ? '' : (reader.from ?? String)(value)),
    to: draft => reader.to(draft.trim()),
    problem: draft => (draft.trim() === '' ? required : reader.problem?.(draft.trim())),
    View: ({ input, texts }) => (
      <Field
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        {...attributes}
        placeholder={texts.placeholder ?? rest.placeholder}
        label={texts.label ?? label}
        hint={texts.hint ?? hint}
        {...(isSelected && { onFocus: event => event.currentTarget.select() })}
        value={input.value}
        onText={text => input.change(text)}
        problem={input.problem}
      />
    ),
  };
}

export function text(options: TextOptions & { required: string }): FormField<string, string>;
export function text(options: TextOptions): FormField<string, string | null>;
export function text(options: TextOptions): FormField<string, string | null> {
  return typed<string | null>(options, { to: text => text || null });
}

/** A field that is left out of the request while it is empty. */
export const optional = <D extends FieldDraft, V>(field: FormField<D, V | '' | null>): FormField<D, V> => ({
  ...(field as FormField<D, V>),
  to(draft) {
    const value = field.to(draft);
    return value === '' || value === null ? undefined : value;
  },
});

/** A password or another secret: exactly as it was typed, and never kept in the browser. */
export const secret = (
  options: TextOptions & { check?: (text: string) => string | undefined },
): FormField<string, string> => {
  const { check, ...rest } = options;
  return {
    ...typed<string>({ type: 'password', ...rest }, { to: text => text }),
    to: draft => draft,
    problem: draft => (draft === '' ? rest.required : check?.(draft)),
    withoutSecret: () => '',
  };
};

/** The text for a stored secret: the server shows it in place of the secret, and keeps the secret if it is sent back. */
const kept = '[set]';

/** A field for a secret. A stored secret is never shown, and stays until a new one is typed. */
export const storedSecret = ({ label, hint, required }: { label: string; hint: string; required: string }) =>
  ({
    ...secret({ label, required }),
    View: ({ input, texts }) => (
      <Field
        label={texts.label ?? label}
        {...(texts.isReadable ? { type: 'text' } : { type: 'password' })}
        autocomplete="off"
        spellcheck={false}
        value={input.value === kept ? '' : input.value}
        placeholder={input.value === kept ? kept : ''}
        onText={text => input.change(text)}
        problem={input.problem}
        hint={input.value === kept ? 'Saved. Type to replace it.' : (texts.hint ?? hint)}
      />
    ),
  }) satisfies FormField<string, string>;

/** A destination, as people type it: without a scheme, or only a port. An empty one is left out. */
export const url = (options: TextOptions): FormField<string, string> => ({
  ...typed<string>(
    { inputMode: 'url', ...options },
    { to: text => readDestination(text).url, problem: text => readDestination(text).problem || undefined },
  ),
  to: draft => readDestination(draft).url || undefined,
});

/** `max`: without it, every whole number that is large enough. */
type NumberOptions = TextOptions & { min: number; max?: number };

export function wholeNumber(options: NumberOptions & { isOptional: true }): FormField<string, number | null>;
export function wholeNumber(options: NumberOptions): FormField<string, number>;
export function wholeNumber(options: NumberOptions & { isOptional?: true }): FormField<string, number | null> {
  const { min, max = 999_999_999, isOptional, ...rest } = options;
  const range =
    options.max === undefined
      ? `Enter a whole number of at least ${min}.`
      : `Enter a whole number from ${min.toLocaleString()} to ${max.toLocaleString()}.`;
  const isInRange = (text: string): boolean => /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max;
  return typed<number | null>(
    { inputMode: 'numeric', ...(!isOptional && { required: range }), ...rest },
    {
      to: text => (text === '' ? null : Number(text)),
      problem: text => (isInRange(text) ? undefined : range),
    },
  );
}

/** @param example such as `24h` */
export const duration = ({ example, ...options }: TextOptions & { example: string }): FormField<string, string> => {
  const problem = `Enter a duration such as ${example}.`;
  return typed<string>(
    { required: problem, maxLength: maxDurationCharacters, ...options },
    { to: text => text, problem: text => (parseDuration(text) === undefined ? problem : undefined) },
  );
};

type LinesOptions = {
  label: string;
  hint: ComponentChildren;
  placeholder?: string;
  check?: (line: string) => string | undefined;
};

export const linesOf = (text: string): string[] => text.split(/[\s,]+/).filter(line => line !== '');

/** A list in one line, with commas between its items. */
export const list = (options: TextOptions): FormField<string, string[]> => ({
  ...typed<string[]>(options, {
    to: text => text.split(/[\n,]/).flatMap(item => item.trim() || []),
  }),
  from: value => value?.join(', ') ?? '',
});

/** A list, one item a line. An empty one is left out. */
export const lines = (options: LinesOptions): FormField<string, string[]> => ({
  from: value => value?.join('\n') ?? '',
  to: draft => (linesOf(draft).length === 0 ? undefined : linesOf(draft)),
  problem: draft => linesOf(draft).flatMap(line => options.check?.(line) ?? [])[0],
  View: ({ input, texts }) => (
    <Labelled label={texts.label ?? options.label} hint={texts.hint ?? options.hint} problem={input.problem}>
      {field => (
        <textarea
          {...field}
          rows={2}
          spellcheck={false}
          autocomplete="off"
          placeholder={options.placeholder}
          value={input.value}
          onInput={event => input.change(event.currentTarget.value)}
        />
      )}
    </Labelled>
  ),
});

type ChoiceOptions<T extends string> = { label: string; options: readonly { id: T; label: string }[] };

/** One of a few options; the first if nothing is saved. */
export const choice = <const T extends string>({ label, options }: ChoiceOptions<T>): FormField<T, T> => ({
  from: value => (value ?? options[0]?.id) as T,
  to: draft => draft,
  // A draft that an older version kept may have another value.
  problem: draft => (options.some(({ id }) => id === draft) ? undefined : 'Choose one of them.'),
  View: ({ input, texts }) => (
    <SelectField
      label={texts.label ?? label}
      options={options}
      value={input.value}
      onPick={picked => input.change(picked)}
      problem={input.problem}
      hint={texts.hint}
    />
  ),
});

type FlagOptions<V> = { label: string; hint: string; on: V; off: V };

/** A check box. `on` and `off`: its values in the request. */
export const flag = <const V,>({ label, hint, on, off }: FlagOptions<V>): FormField<boolean, V> => ({
  from: value => value === on,
  to: draft => (draft ? on : off),
  View: ({ input, texts }) => (
    <Checkbox
      label={texts.label ?? label}
      hint={texts.hint ?? hint}
      problem={input.problem}
      checked={input.value}
      onChange={isOn => input.change(isOn)}
    />
  ),
});

const isFilled = ([name, value]: Pair): boolean => name.trim() !== '' || value.trim() !== '';

/** A list of headers; rows that are empty are left out. */
export const headers = ({ hint }: { hint: string }): FormField<readonly Pair[], [string, string][]> => ({
  from: value => value ?? [],
  to: draft => draft.filter(isFilled).map(([name, value]) => [name.trim(), value]),
  View: ({ input }) => (
    <HeaderEditor headers={input.value} isInvalid={input.problem !== ''} onChange={changed => input.change(changed)}>
      <p class={input.problem ? 'hint bad' : 'hint'} role={input.problem ? 'alert' : undefined}>
        {input.problem || hint}
      </p>
    </HeaderEditor>
  ),
});

type HeaderEditorProps = {
  headers: readonly Pair[];
  /** A value as it is shown in its field. */
  textOf?: (value: string) => string;
  isInvalid?: boolean;
  onChange: (headers: Pair[]) => void;
  buttons?: ComponentChildren;
  children?: ComponentChildren;
};

/** A list of headers to edit: one row with name and value for each, and a button that adds one. */
export function HeaderEditor(props: HeaderEditorProps) {
  const { headers, textOf = value => value, isInvalid = false, onChange, buttons, children } = props;
  const change = (at: number, header: Pair): void =>
    onChange(headers.map((one, index) => (index === at ? header : one)));
  return (
    <fieldset class="col">
      <legend>Headers</legend>
      {headers.map(([name, value], at) => (
        <div key={at} class="header-row">
          <input
            aria-label={`Name of header ${at + 1}`}
            value={name}
            spellcheck={false}
            autocomplete="off"
            aria-invalid={isInvalid || undefined}
            onInput={typed => change(at, [typed.currentTarget.value, value])}
          />
          <input
            aria-label={`Value of ${name || `header ${at + 1}`}`}
            value={textOf(value)}
            spellcheck={false}
            autocomplete="off"
            onInput={typed => change(at, [name, typed.currentTarget.value])}
          />
          <IconButton
            icon="close"
            label={`Remove ${name || `header ${at + 1}`}`}
            onClick={() => onChange(headers.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      <div class="row">
        <Button kind="quiet" onClick={() => onChange([...headers, ['', '']])}>
          Add a header
        </Button>
        {buttons}
      </div>
      {children}
    </fieldset>
  );
}
