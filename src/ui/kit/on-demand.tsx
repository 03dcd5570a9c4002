/* Pages that are loaded when they are first opened, so that the first paint does not wait for them. */

import type { ComponentType } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { Button, Empty, Skeleton } from './controls.tsx';

/** @param load imports the component; a failed import is repeated when the user asks for it */
export function onDemand<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function OnDemand(props: P) {
    const [state, setState] = useState<'loading' | 'failed' | 'loaded'>(loaded ? 'loaded' : 'loading');
    const start = useCallback((): void => {
      // Another instance may have loaded it since this one was rendered.
      if (loaded) {
        setState('loaded');
        return;
      }
      setState('loading');
      load().then(
        component => {
          loaded = component;
          setState('loaded');
        },
        () => setState('failed'),
      );
    }, []);
    useEffect(start, []);
    if (loaded) {
      const Component = loaded;
      return <Component {...props} />;
    }
    return state === 'failed' ? (
      <Empty title="Couldn't load this part" action={<Button onClick={() => location.reload()}>Reload</Button>}>
        The connection failed, or Hooktape was updated since you opened this page.
      </Empty>
    ) : (
      <Skeleton rows={3} kind="card" />
    );
  };
}
