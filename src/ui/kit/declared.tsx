/* Says that a file declares an endpoint, so that changes made here may not last. */

import { Notice } from './controls.tsx';

export const DeclaredNotice = ({ what = 'values' }: { what?: string }) => (
  <Notice title="This endpoint is declared in a file">
    You can change it here, but the next <code>hooktape apply</code>, or the next start of the server with that file,
    sets back the {what} that the file has.
  </Notice>
);
