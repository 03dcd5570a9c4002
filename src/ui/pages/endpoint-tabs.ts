/* The pages of an endpoint, each with its address. The tab bar, the keys and the palette read this one list. */

type Tab = {
  label: string;
  /** The part of the address behind the endpoint's; empty for its events. */
  part: string;
  /** Other parts whose pages belong to this tab. */
  inside?: readonly string[];
  /** In the palette, if not as in the tab. */
  name?: string;
};

const tabs: readonly Tab[] = [
  { label: 'Events', part: '', inside: ['events', 'compare'] },
  { label: 'Activity', part: 'activity' },
  { label: 'Destinations', part: 'destinations', inside: ['jobs'], name: 'destinations: forwards and replay jobs' },
  { label: 'Answers', part: 'answers' },
  { label: 'Alerts', part: 'alerts' },
  { label: 'Schemas', part: 'schemas' },
  { label: 'Settings', part: 'settings', name: 'endpoint settings' },
];

/** The endpoint that a page is about; empty on other pages. */
export const endpointIn = (path: string): string => /^\/app\/endpoints\/([^/]+)/.exec(path)?.[1] ?? '';

type TabLink = Pick<Tab, 'label' | 'part'> & { to: string; name: string; isCurrent: boolean };

/** The tabs of the endpoint that the page of `path` is about; none on other pages. */
export function tabsAt(path: string): TabLink[] {
  const id = endpointIn(path);
  if (id === '') return [];
  const base = `/app/endpoints/${id}`;
  const open = path.slice(base.length).split('/')[1] ?? '';
  return tabs.map(({ label, part, name = label.toLowerCase(), inside = [] }) => ({
    label,
    part,
    name,
    to: part === '' ? base : `${base}/${part}`,
    isCurrent: part === open || inside.includes(open),
  }));
}
