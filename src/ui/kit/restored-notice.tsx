/* Says that a form shows unsaved changes of an earlier visit. */

import { Button, Notice } from './controls.tsx';
import type { Restored } from './use-draft.ts';

/** `what`: what is edited, such as `rules`. */
type Props = { restored: Restored; what: string; onDiscard: () => void };

export const RestoredNotice = ({ restored, what, onDiscard }: Props) =>
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
