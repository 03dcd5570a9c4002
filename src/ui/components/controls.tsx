/* Buttons, fields, notices: the small set that every page is made of. */

import type { ButtonHTMLAttributes, ComponentChildren, InputHTMLAttributes } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { copyText } from './clipboard.ts';
import { Icon, type IconName } from './icons.tsx';
import { showError } from './toasts.tsx';

type ButtonProps = ButtonHTMLAttributes & {
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

type CopyButtonProps = {
  text: string | (() => string);
  label?: string;
  what?: string;
  kind?: 'plain' | 'quiet' | 'primary';
};

const copiedLabelMs = 1600;

/** Copies and says so in place; the width does not change. Without a label it is an icon named after `what`. */
export function CopyButton({ text, label, what = 'value', kind = 'plain' }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(setCopied, copiedLabelMs, false);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async (): Promise<void> => {
    const done = await copyText(typeof text === 'string' ? text : text());
    setCopied(done);
    if (!done) showError('Your browser did not allow copying. Select the text and copy it yourself.');
  };
  const icon = copied ? 'check' : 'copy';
  if (label === undefined) {
    return (
      <IconButton icon={icon} label={copied ? 'Copied' : `Copy ${what}`} class={copied ? 'done' : ''} onClick={copy} />
    );
  }
  return (
    <Button kind={kind} icon={icon} class={`copy ${copied ? 'done' : ''}`} onClick={copy}>
      <span class="swap">
        <span aria-hidden={copied}>{label}</span>
        <span aria-hidden={!copied}>Copied</span>
      </span>
    </Button>
  );
}

type FieldProps = InputHTMLAttributes & {
  label: string;
  /** The heading above already says it; the label stays for screen readers. */
  hideLabel?: boolean;
  hint?: ComponentChildren;
  problem?: string;
  onText: (text: string) => void;
};

type CheckboxProps = { label: string; hint: string; checked: boolean; onChange: (checked: boolean) => void };

export function Checkbox({ label, hint, checked, onChange }: CheckboxProps) {
  const id = useId();
  return (
    <div class="field">
      <label class="checkbox">
        <input
          type="checkbox"
          checked={checked}
          aria-describedby={`${id}-hint`}
          onChange={event => onChange(event.currentTarget.checked)}
        />
        {label}
      </label>
      <p id={`${id}-hint`} class="hint">
        {hint}
      </p>
    </div>
  );
}

export function Field({ label, hideLabel = false, hint, problem, onText, ...rest }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id} class={hideLabel ? 'offscreen' : ''}>
        {label}
      </label>
      <input
        {...rest}
        id={id}
        aria-describedby={hint || problem ? `${id}-hint` : undefined}
        aria-invalid={problem ? true : undefined}
        onInput={event => onText(event.currentTarget.value)}
      />
      {(hint || problem) && (
        <p id={`${id}-hint`} class={problem ? 'hint bad' : 'hint'}>
          {problem || hint}
        </p>
      )}
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
  <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : undefined}>
    <div>
      {title && <strong>{title}</strong>}
      {children && <p>{children}</p>}
    </div>
    {action && <div class="notice-action">{action}</div>}
  </div>
);

type SegmentedProps<T extends string> = {
  label: string;
  options: { id: T; label: string }[];
  value: T;
  onPick: (id: T) => void;
};

/** A choice among few, as one row of buttons. */
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
  /** It shows what is shown only once: a click beside it does not close it. */
  stays?: boolean;
};

/** A modal on the browser's own dialog: focus stays inside, Escape and a click outside close it. */
export function Dialog({ title, onClose, children, wide = false, stays = false }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const before = document.activeElement;
    ref.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the dialog closes on Escape by itself.
    <dialog
      ref={ref}
      class={wide ? 'wide' : ''}
      aria-labelledby={titleId}
      onClose={onClose}
      onClick={event => !stays && event.target === ref.current && ref.current?.close()}
    >
      <div class="dialog-body">
        <header>
          <h2 id={titleId}>{title}</h2>
          <IconButton icon="close" label="Close" onClick={() => ref.current?.close()} />
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
  /** Nothing else is on the page, so this is its heading. */
  isPage?: boolean;
};

export const Empty = ({ title, children, action, isPage = false }: EmptyProps) => (
  <div class="empty">
    {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
    {children && <p>{children}</p>}
    {action}
  </div>
);

/** Rows of the shape of what will come, so that nothing jumps when it does. */
export const Skeleton = ({ rows, kind = 'line' }: { rows: number; kind?: 'line' | 'card' }) => (
  <div class="skeleton" role="status" aria-label="Loading">
    {Array.from({ length: rows }, (_, row) => (
      <div key={row} class={kind} />
    ))}
  </div>
);
