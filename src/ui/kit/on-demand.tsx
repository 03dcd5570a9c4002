/* Pages that are loaded when they are first opened, so that the first paint does not wait for them. */

import type { ComponentType } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { Button, Empty, Skeleton } from './controls.tsx';
import { useRetry } from './use-query.ts';

/** @param load imports the component; a failed import is repeated */
export function onDemand<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function OnDemand(props: P) {
    const [, setIsLoaded] = useState(false);
    const [failures, setFailures] = useState(0);
    const start = useCallback((): void => {
      // Another instance may have loaded it since this one was rendered.
      Promise.resolve(loaded ?? load()).then(
        component => {
          loaded = component;
          setIsLoaded(true);
        },
        () => setFailures(before => before + 1),
      );
    }, []);
    useEffect(start, []);
    useRetry(loaded ? 0 : failures, start);
    if (loaded) {
      const Component = loaded;
      return <Component {...props} />;
    }
    return failures > 0 ? (
      <Empty title="Couldn't load this part" action={<Button onClick={() => location.reload()}>Reload</Button>}>
        The connection failed, or Hooktape was updated since you opened this page.
      </Empty>
    ) : (
      <Skeleton rows={3} kind="card" />
    );
  };
}
