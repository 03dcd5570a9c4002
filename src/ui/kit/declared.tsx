/* Says that a file declares an endpoint, so that changes made here may not last. */

import { Notice } from './controls.tsx';

export const DeclaredNotice = ({ what = 'values' }: { what?: string }) => (
  <Notice title="Managed by a file">
    The next <code>hooktape apply</code>, or the next server start with that file, overwrites changes made here with the{' '}
    {what} of the file.
  </Notice>
);
