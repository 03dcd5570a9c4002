/* The shared controls of all pages: buttons, fields, notices, dialogs and placeholders. */

import type { ButtonHTMLAttributes, ComponentChildren, InputHTMLAttributes, VNode } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon, type IconName } from './icons.tsx';

export type ButtonProps = ButtonHTMLAttributes & {
  kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  icon?: IconName;
  busy?: boolean;
  children?: ComponentChildren;
};

export const Button = ({ kind = 'plain', icon, busy = false, children, ...rest }: ButtonProps) => (
  <button
    type="button"
    {...rest}
    class={`button ${kind} ${rest.class ?? ''}`}
    aria-busy={busy}
    disabled={busy || rest.disabled === true}
  >
    {busy ? <span class="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
    {children !== undefined && <span>{children}</span>}
  </button>
);

type LabelledProps = {
  label: string;
  /** Shows the label to screen readers only, for a field whose heading already names it. */
  hideLabel?: boolean;
  hint?: ComponentChildren;
  problem?: string;
};
type ConnectedAttributes = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined };
type FrameProps = LabelledProps & { class?: string; children: (connected: ConnectedAttributes) => VNode };

/** A field between its label and its hint, in whose place a problem is shown. */
export function Labelled({ label, hideLabel = false, hint, problem, class: own = '', children }: FrameProps) {
  const id = useId();
  const hintId = hint || problem ? `${id}-hint` : undefined;
  return (
    <div class={`field col tight ${own}`}>
      <label for={id} class={hideLabel ? 'offscreen' : ''}>
        {label}
      </label>
      {children({ id, 'aria-describedby': hintId, 'aria-invalid': problem ? true : undefined })}
      {hintId && (
        <p id={hintId} class={problem ? 'hint bad' : 'hint'}>
          {problem || hint}
        </p>
      )}
    </div>
  );
}

type FieldProps = InputHTMLAttributes & LabelledProps & { onText: (text: string) => void };

export function Field({ label, hideLabel = false, hint, problem = '', onText, ...rest }: FieldProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // A dialog that opens looks for `autofocus`. Nothing does when the field appears later.
    if (rest.autoFocus) input.current?.focus();
  }, []);
  return (
    <Labelled {...{ label, hideLabel, hint, problem }}>
      {field => <input {...rest} {...field} ref={input} onInput={event => onText(event.currentTarget.value)} />}
    </Labelled>
  );
}

type SelectFieldProps<T extends string> = LabelledProps & {
  options: readonly { id: T; label: string }[];
  value: T;
  onPick: (id: T) => void;
};

export const SelectField = <T extends string>({ options, value, onPick, ...labelled }: SelectFieldProps<T>) => (
  <Labelled {...labelled} class="select-field">
    {field => (
      <select
        {...field}
        value={value}
        onChange={event => {
          const picked = options.find(option => option.id === event.currentTarget.value);
          if (picked) onPick(picked.id);
        }}
      >
        {options.map(option => (
          <option key={option.id} value={option.id}>
            {option.label}
          </option>
        ))}
      </select>
    )}
  </Labelled>
);

type CheckboxProps = {
  label: string;
  hint: ComponentChildren;
  problem?: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
};

export function Checkbox({ label, hint, problem, checked, onChange }: CheckboxProps) {
  const id = useId();
  return (
    <div class="field col tight">
      <label class="checkbox">
        <input
          type="checkbox"
          checked={checked}
          aria-describedby={`${id}-hint`}
          aria-invalid={problem ? true : undefined}
          onChange={event => onChange(event.currentTarget.checked)}
        />
        {label}
      </label>
      <p id={`${id}-hint`} class={problem ? 'hint bad' : 'hint'}>
        {problem || hint}
      </p>
    </div>
  );
}

type NoticeProps = {
  tone?: 'info' | 'warn' | 'bad' | 'good';
  title?: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
};

export const Notice = ({ tone = 'info', title, children, action }: NoticeProps) => (
  <div class={`notice tint line loose spread ${tone}`} role={tone === 'bad' ? 'alert' : undefined}>
    <div>
      {title && <strong>{title}</strong>}
      {children && <p>{children}</p>}
    </div>
    {action && <div class="rigid">{action}</div>}
  </div>
);

type SegmentedProps<T extends string> = {
  label: string;
  options: readonly { id: T; label: string }[];
  value: T;
  onPick: (id: T) => void;
};

export const Segmented = <T extends string>({ label, options, value, onPick }: SegmentedProps<T>) => (
  <fieldset class="segmented">
    <legend class="offscreen">{label}</legend>
    {options.map(option => (
      <button key={option.id} type="button" aria-pressed={option.id === value} onClick={() => onPick(option.id)}>
        {option.label}
      </button>
    ))}
  </fieldset>
);

type DialogProps = {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  wide?: boolean;
  /** A click outside does not close it. For content that is shown only once. */
  isPersistent?: boolean;
};

/** What gets the focus back from a dialog that is being removed. A dialog that replaces it takes that over. */
let returningFocus: Element | null = null;

/** A modal dialog, based on the native element: it traps focus, and Escape or a click outside closes it. */
export function Dialog({ title, onClose, children, wide = false, isPersistent = false }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    const focused = document.activeElement;
    const previousFocus = focused === document.body ? (returningFocus ?? focused) : focused;
    ref.current?.showModal();
    return () => {
      // It is still there, and nothing behind it takes the focus.
      returningFocus = previousFocus;
      queueMicrotask(() => {
        returningFocus = null;
        if (document.activeElement === document.body && previousFocus instanceof HTMLElement) previousFocus.focus();
      });
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the native dialog closes on Escape.
    <dialog
      ref={ref}
      class={wide ? 'wide' : ''}
      aria-labelledby={titleId}
      onCancel={event => {
        // Removes the element at once. If the browser closed it, it would report that in a later task, when a key may already have
        // opened the next dialog in its place.
        event.preventDefault();
        onClose();
      }}
      onClose={onClose}
      onClick={event => !isPersistent && event.target === ref.current && onClose()}
    >
      <div class="dialog-body">
        <header class="line loose spread">
          <h2 id={titleId}>{title}</h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  );
}

type EmptyProps = {
  title: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
  isPage?: boolean;
};

export const Empty = ({ title, children, action, isPage = false }: EmptyProps) => (
  <div class="empty col">
    {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
    {children && <p class="soft breaks">{children}</p>}
    {action}
  </div>
);

export const Skeleton = ({ rows, kind = 'line' }: { rows: number; kind?: 'line' | 'card' }) => (
  <div class="skeleton" role="status" aria-label="Loading">
    {Array.from({ length: rows }, (_, row) => (
      <div key={row} class={kind} />
    ))}
  </div>
);

/** `label`: for screen readers and the tooltip. */
type IconButtonProps = ButtonHTMLAttributes & { icon: IconName; label: string };

export const IconButton = ({ icon, label, ...rest }: IconButtonProps) => (
  <button
    type="button"
    {...rest}
    class={`icon-button ${rest.class ?? ''}`}
    aria-label={label}
    title={rest.title ?? label}
  >
    <Icon name={icon} />
  </button>
);

/** Text that scrolls. */
export const Code = ({ children }: { children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard.
  <pre class="code" tabIndex={0}>
    {children}
  </pre>
);

type PillProps = {
  /** Without one, it is only a number. */
  tone?: 'warn' | 'bad';
  count: number;
  /** What is counted: a line for each. */
  lines: readonly string[];
};

/** A number beside the name of a tab: how much behind it needs a look, and what. */
export const Pill = ({ tone, count, lines }: PillProps) =>
  count === 0 ? null : (
    <span class={`pill anchor figures ${tone ?? ''}`} title={lines.join('\n')}>
      <span aria-hidden="true">{count}</span>
      <span class="offscreen">{lines.join('. ')}</span>
    </span>
  );
