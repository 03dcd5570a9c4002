/* Line icons on a 16 unit grid in the text colour. Hidden from screen readers: they only appear next to text or in labelled controls. */

const paths = {
  braces:
    'M6 2.5H5A1.5 1.5 0 0 0 3.500 4v2.500L2.500 8l1 1.500V12A1.500 1.500 0 0 0 5 13.500h1m4-11h1A1.500 1.500 0 0 1 12.500 4v2.500l1 1.500-1 1.500V12a1.500 1.500 0 0 1-1.500 1.500h-1',
  check: 'm3.5 8.5 3 3 6-7',
  chevron: 'm4.5 6.5 3.5 3.5 3.5-3.5',
  close: 'm4 4 8 8m0-8-8 8',
  compare: 'M2.5 5.500h10.500m-3-3 3 3-3 3M13.500 10.500H3m3-3-3 3 3 3',
  copy: 'M6 5.5h6.5a1 1 0 0 1 1 1V13a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1V6.5a1 1 0 0 1 1-1ZM11 5V3a1 1 0 0 0-1-1H3.5a1 1 0 0 0-1 1v6.500a1 1 0 0 0 1 1H5',
  download: 'M8 2.500v7.500m-3-3 3 3 3-3M3 13h10',
  external: 'M9 3h4v4m0-4L7.500 8.500M11 9v3.500a.5.5 0 0 1-.5.5h-7a.5.5 0 0 1-.5-.5v-7a.5.5 0 0 1 .5-.5H7',
  expand: 'M9.500 2.500h4v4m0-4-5 5m-2 6h-4v-4m0 4 5-5',
  filter: 'M2.500 3.500h11l-4.200 5v4l-2.600 1.300V8.500l-4.200-5Z',
  gear: 'M2.500 4.500h6m3 0h2m-11 7h2m3 0h6M10 3v3M6 10v3',
  info: 'M8 13.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11ZM8 7.500v3.500m0-6v.01',
  key: 'M9.500 9.500a3.500 3.500 0 1 0-3-3L2.500 10.500v3h3v-2h2v-2Zm1.500-4h.01',
  list: 'M2.500 4h11m-11 4h11m-11 4h11',
  more: 'M3.500 8v.01M8 8v.01m4.500-.01v.01',
  pause: 'M5.500 3.500v9m5-9v9',
  pin: 'M6 2.5h4l-.5 4 2.500 2v1h-8v-1l2.500-2-.5-4ZM8 9.500v4',
  play: 'M5 3.500v9l7-4.500-7-4.500Z',
  plus: 'M8 3v10M3 8h10',
  replay: 'M3 8a5 5 0 1 1 1.600 3.700M3 12.500v-3h3',
  rows: 'M2.500 3h11M2.500 6.300h11M2.500 9.700h11M2.500 13h11',
  search: 'M7 11.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9Zm3.300-1.200 3.200 3.200',
  send: 'M13.500 2.500 2.500 7l4.500 2 2 4.500 4.500-11ZM7 9l3-3',
  shield: 'M8 2 3 4v4c0 3 2.200 5 5 6 2.800-1 5-3 5-6V4L8 2Z',
  tag: 'M2.500 2.500h5l6 6-5 5-6-6v-5Zm3 3v.01',
  trash: 'M3 4.500h10M6.500 4V2.500h3V4m-5 .500.500 8.500a.5.5 0 0 0 .5.500h5a.5.5 0 0 0 .5-.500l.500-8.500',
  up: 'm4.5 9.500 3.500-3.500 3.500 3.500',
  warn: 'M8 2.500 1.800 13.300h12.400L8 2.500Zm0 4v3.200m0 1.800v.01',
  wrap: 'M2.500 4h11m-11 4h9a2 2 0 0 1 0 4H8m1.500-1.500L8 12l1.500 1.500M2.500 12h2.500',
} as const;

export type IconName = keyof typeof paths;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
    <path d={paths[name]} />
  </svg>
);

/** The logo. */
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
