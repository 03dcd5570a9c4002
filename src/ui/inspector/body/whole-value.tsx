/* Shows the whole of a value that is cut on the page. */

import { Dialog } from '../../kit/controls.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { TextView } from './text-view.tsx';

type WholeValueProps = {
  text: string;
  /** The name of the value. */
  name: string;
  onClose: () => void;
};

export const WholeValue = ({ text, name, onClose }: WholeValueProps) => (
  <Dialog title="Whole value" wide onClose={onClose}>
    {name !== '' && <code class="whole-name soft breaks">{name}</code>}
    <div class="whole">
      <TextView text={text} label="Whole value" />
    </div>
    <div class="dialog-actions">
      <CopyButton label="Copy value" text={text} />
    </div>
  </Dialog>
);
