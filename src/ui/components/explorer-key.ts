/* The API key that somebody pasted into the explorer (`/docs`). The explorer's side of it is in src/http/docs.ts. */

/** Takes it away from every open explorer, and what version 1.0 left in storage. */
export function forgetExplorerKey(): void {
  try {
    localStorage.removeItem('authorized');
  } catch {
    // Without storage there is nothing in it.
  }
  const channel = new BroadcastChannel('hooktape-sign-out');
  channel.postMessage('signed out');
  channel.close();
}
