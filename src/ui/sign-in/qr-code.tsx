/* A QR code, drawn as one path. It is black on white in both themes, because not every camera reads it the other way round. */

import { generate } from 'lean-qr';
import { useMemo } from 'preact/hooks';

/** What the standard asks for on each side, in modules. */
const margin = 4;

export function QrCode({ text, label }: { text: string; label: string }) {
  const { path, size } = useMemo(() => {
    const code = generate(text);
    const rows = Array.from({ length: code.size }, (_, y) =>
      Array.from({ length: code.size }, (_, x) => (code.get(x, y) ? `M${x} ${y}h1v1h-1z` : '')).join(''),
    );
    return { path: rows.join(''), size: code.size + 2 * margin };
  }, [text]);
  return (
    <svg
      class="qr-code"
      viewBox={`${-margin} ${-margin} ${size} ${size}`}
      shape-rendering="crispEdges"
      role="img"
      aria-label={label}
    >
      <rect x={-margin} y={-margin} width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
