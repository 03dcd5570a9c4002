/* Dialogs that a function opens, without state or markup of the caller. `DialogHost` renders them; signing out closes them. */

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { Button, Dialog, Notice } from './controls.tsx';
import { CopyButton } from './copy-button.tsx';
import type { IconName } from './icons.tsx';
import { currentLocation, pageOf, usePageLocation } from './navigation.tsx';
import { messageOf, showError, showToast } from './toasts.tsx';

type Opened = {
  id: number;
  path: string;
  until: Until;
  render: (close: () => void) => ComponentChildren;
  onGone: () => void;
};

let nextId = 1;
let addDialog: (dialog: Opened) => void = () => {};

/** When a dialog closes by itself: when the page changes, when another event or page is shown, or never. */
type Until = 'page' | 'path' | 'closed';

/**
 * Opens a dialog that is written with `Dialog`. It sees the workspace, but no other context and no later properties of the caller.
 * @returns when the dialog has left the page and the focus is back where it was
 */
export const openDialog = (render: Opened['render'], until: Until = 'page'): Promise<void> =>
  new Promise(onGone => addDialog({ id: nextId++, path: currentLocation().path, until, render, onGone }));

const belongsTo = (path: string, dialog: Opened): boolean =>
  dialog.until === 'closed' || (dialog.until === 'path' ? dialog.path === path : pageOf(dialog.path) === pageOf(path));

export function DialogHost() {
  const [opened, setOpened] = useState<readonly Opened[]>([]);
  const { path } = usePageLocation();
  useLayoutEffect(() => {
    addDialog = dialog => setOpened(all => [...all, dialog]);
    return () => {
      addDialog = () => {};
    };
  }, []);
  useLayoutEffect(() => setOpened(all => all.filter(dialog => belongsTo(path, dialog))), [path]);
  return (
    <>
      {opened.map(dialog => (
        <HostedDialog
          key={dialog.id}
          dialog={dialog}
          onClose={() => setOpened(all => all.filter(({ id }) => id !== dialog.id))}
        />
      ))}
    </>
  );
}

function HostedDialog({ dialog, onClose }: { dialog: Opened; onClose: () => void }) {
  // Called in a later task, because the dialog gives the focus back in a microtask.
  useLayoutEffect(() => () => void setTimeout(dialog.onGone), []);
  return <>{dialog.render(onClose)}</>;
}

export type Question = {
  title: string;
  text: ComponentChildren;
  button: string;
  icon?: IconName;
  cancel?: string;
  /** The action. If it fails, the dialog shows its error and stays open. Without it, the caller acts on the result. */
  run?: () => unknown;
  /** The toast and the work that follow once the action has succeeded and the dialog is gone. */
  toast?: string;
  onDone?: () => unknown;
  until?: Until;
};

/** Asks before an action that cannot be undone. @returns whether it has succeeded, also if the dialog was closed while it was running */
export function confirm(question: Question): Promise<boolean> {
  let isOpen = true;
  let isDone = Promise.resolve(false);
  const attempt = async (): Promise<unknown> => {
    try {
      await question.run?.();
      return undefined;
    } catch (error) {
      return error;
    }
  };
  const run = async (close: () => void): Promise<string> => {
    const attempted = attempt();
    isDone = attempted.then(error => error === undefined);
    const error = await attempted;
    if (error === undefined) close();
    else if (isOpen) return messageOf(error);
    else showError(error);
    return '';
  };
  return openDialog(
    close => <Confirmation {...question} run={() => run(close)} onClose={close} />,
    question.until,
  ).then(async () => {
    isOpen = false;
    if (!(await isDone)) return false;
    question.onDone?.();
    if (question.toast) showToast(question.toast);
    return true;
  });
}

type ConfirmationProps = Omit<Question, 'run'> & { run: () => Promise<string>; onClose: () => void };

function Confirmation({ title, text, button, icon, cancel = 'Cancel', run, onClose }: ConfirmationProps) {
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const act = async (): Promise<void> => {
    setIsBusy(true);
    setProblem(await run());
    setIsBusy(false);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {typeof text === 'string' ? <p>{text}</p> : text}
      {problem && <Notice tone="bad">{problem}</Notice>}
      <div class="line end">
        <Button onClick={onClose}>{cancel}</Button>
        <Button kind="danger" {...(icon && { icon })} busy={isBusy} onClick={act}>
          {button}
        </Button>
      </div>
    </Dialog>
  );
}

type Secret = {
  title: string;
  text: ComponentChildren;
  secret: string;
  /** The text of the button that closes the dialog. Without it, there is only the cross. */
  button?: string;
};

/** Shows a value that the server does not return again. A click outside does not close it. @returns when the dialog is gone */
export const showSecretOnce = ({ title, text, secret, button }: Secret): Promise<void> =>
  openDialog(
    close => (
      <Dialog title={title} wide isPersistent onClose={close}>
        <p>{text}</p>
        <div class="address large line">
          <code class="grow breaks">{secret}</code>
          <CopyButton kind="primary" label="Copy" text={secret} autofocus />
        </div>
        {button !== undefined && (
          <div class="line end">
            <Button onClick={close}>{button}</Button>
          </div>
        )}
      </Dialog>
    ),
    'closed',
  );
