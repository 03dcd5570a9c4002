/* Opens the dialog of a replay job, for the events that the list shows or for others. */

import { openDialog } from '../../kit/dialogs.tsx';
import { showError } from '../../kit/toasts.tsx';
import type { JobOptions } from './job-dialog.tsx';

/** The dialog is loaded when it is first opened. */
export async function openJob(options: JobOptions): Promise<void> {
  try {
    const { JobDialog } = await import('./job-dialog.tsx');
    await openDialog(close => <JobDialog {...options} onClose={close} />);
  } catch {
    showError('The dialog could not be loaded. Reload the page and try again.');
  }
}
