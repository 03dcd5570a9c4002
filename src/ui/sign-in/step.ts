/* What the user has begun is kept in the URL, so that it continues after the user has signed in again at the provider. */

import { useEffect } from 'preact/hooks';
import { currentLocation, navigate } from '../kit/navigation.tsx';
import { showError } from '../kit/toasts.tsx';

/** @param run opens a dialog; it changes nothing without a click in there, because a link can start it @returns starts it */
export function useStep(name: string, run: () => Promise<unknown>): () => Promise<void> {
  const start = async (): Promise<void> => {
    const { path } = currentLocation();
    navigate(`${path}?do=${name}`, { replace: true });
    await run().catch(showError);
    if (currentLocation().path === path) navigate(path, { replace: true });
  };
  useEffect(() => {
    if (currentLocation().query.get('do') === name) void start();
  }, []);
  return start;
}
