/* Signing out of the API explorer (`/docs`), which may hold an API key. Its counterpart is src/http/docs.ts. */

/** Clears the key in all open explorer tabs, and the copy that version 1.0 left in localStorage. */
export function forgetExplorerKey(): void {
  try {
    localStorage.removeItem('authorized');
  } catch {
    // Storage is not allowed, so nothing is stored.
  }
  const channel = new BroadcastChannel('hooktape-sign-out');
  channel.postMessage('signed out');
  channel.close();
}
