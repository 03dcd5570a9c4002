/* Line icons on a 16 unit grid in the text colour. Hidden from screen readers: they only appear next to text or in labelled controls. */

import paths from './icons.json' with { type: 'json' };

export type IconName = keyof typeof paths;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
    <path d={paths[name]} />
  </svg>
);

export const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="8" />
    <g>
      <circle cx="11" cy="14" r="4.6" />
      <circle cx="21" cy="14" r="4.6" />
      <path d="M11 18.600V21a3.400 3.400 0 0 0 3.400 3.400H22" />
    </g>
  </svg>
);
