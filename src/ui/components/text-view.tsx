/* Shows captured text. Invisible and reordering characters are made visible; long text is rendered in slices to stay responsive. */

import { useEffect, useState } from 'preact/hooks';
import { formatBytes } from '../format/time.ts';
import { visibleText } from '../format/visible.ts';
import { Button } from './controls.tsx';

const sliceChars = 200_000;

export function TextView({ text, label }: { text: string; label: string }) {
  const [shown, setShown] = useState(sliceChars);
  useEffect(() => setShown(sliceChars), [text]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard.
    <section class="text-view" tabIndex={0} aria-label={label}>
      <pre>{visibleText(text.slice(0, shown))}</pre>
      {text.length > shown && (
        <div class="more">
          <Button onClick={() => setShown(shown + sliceChars * 5)}>
            Show more ({formatBytes(text.length - shown)} left)
          </Button>
        </div>
      )}
    </section>
  );
}
