/* Shows the whole of a value that is cut on the page. */

import { Dialog } from '../../kit/controls.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { openDialog } from '../../kit/dialogs.tsx';
import { visibleLine } from '../../kit/format/visible.ts';
import { TextView } from './text-view.tsx';

export const showWhole = (name: string, text: string): Promise<void> =>
  openDialog(
    close => (
      <Dialog title="Whole value" wide onClose={close}>
        {name !== '' && <code class="whole-name soft breaks">{visibleLine(name)}</code>}
        <div class="whole">
          <TextView text={text} label="Whole value" />
        </div>
        <div class="line end">
          <CopyButton label="Copy value" text={text} />
        </div>
      </Dialog>
    ),
    'path',
  );
