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
        ? 'You left this page without saving them.'
        : what === 'rules'
          ? 'Someone has saved other rules since. If you save, yours replace them.'
          : `Someone has changed the ${what} since. If you save, your settings replace theirs.`}
    </Notice>
  );
