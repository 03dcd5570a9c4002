/* The sentences of the list of changes, by the actions of the audit log. An action without a sentence is no change of an endpoint. */
import type { Change } from './model.ts';
import type { AuditEntryRow, SchemaChangeRow } from './store.ts';

/** A change without its time. `path`: of the page below the endpoint's page. */
type Sentence = Pick<Change, 'kind' | 'text' | 'by'> & { path: string };
/** `exists`: whether its target still exists; known only of forwards. */
type Named = AuditEntryRow & { name: string | undefined; exists: boolean };

const fieldsOf = ({ details }: AuditEntryRow): string => {
  const fields = details?.fields ?? [];
  return fields.length === 0 ? '' : `: ${fields.join(', ')}`;
};
const quoted = (noun: string, name: string | undefined): string => (name === undefined ? noun : `${noun} “${name}”`);

type Write = (entry: Named) => { text: string; path: string };
const pageOfForward = ({ targetId, exists }: Named): string => `/forwards${exists ? `/${targetId}` : ''}`;
const ofForward =
  (verb: string): Write =>
  entry => ({
    text: `${quoted('Forward', entry.name)} was ${verb}${fieldsOf(entry)}`,
    path: pageOfForward(entry),
  });
const ofItems =
  (verb: string): Write =>
  entry => ({ text: `Events of ${quoted('forward', entry.name)} were ${verb}`, path: pageOfForward(entry) });
const ofAlert =
  (verb: string): Write =>
  entry => ({ text: `${quoted('Alert', entry.name)} was ${verb}${fieldsOf(entry)}`, path: '/alerts' });
const ofSecret =
  (verb: string): Write =>
  ({ name }) => ({
    text: `A signing secret${name === undefined ? '' : ` of ${name}`} ${verb}`,
    path: '/settings#secrets',
  });
const ofEndpoint =
  (text: string, path = '/settings'): Write =>
  () => ({ text, path });

const sentences: Record<string, Write> = {
  'secret.created': ofSecret('was added'),
  'secret.confirmed': ofSecret('was confirmed'),
  'secret.deleted': ofSecret('was removed'),
  'secret.signing_allowed': ofSecret('may sign'),
  'secret.signing_forbidden': ofSecret('may not sign'),
  'forward.created': ofForward('created'),
  'forward.changed': ofForward('changed'),
  'forward.paused': ofForward('paused'),
  'forward.resumed': ofForward('resumed'),
  'forward.deleted': ofForward('deleted'),
  'forward.retried': ofItems('tried again'),
  'forward.skipped': ofItems('skipped'),
  'alert.created': ofAlert('created'),
  'alert.changed': ofAlert('changed'),
  'alert.deleted': ofAlert('deleted'),
  'endpoint.created': ofEndpoint('The endpoint was created'),
  'endpoint.changed': entry => ({
    text: isOfGuard(entry) ? `The guard was changed${others(entry)}` : `Settings were changed${fieldsOf(entry)}`,
    path: '/settings',
  }),
  'endpoint.url_rotated': ofEndpoint('The URL was replaced'),
  'endpoint.previous_url_ended': ofEndpoint('A replaced URL was ended'),
  'endpoint.answers_changed': ofEndpoint('The rules for answers were changed', '/answers'),
  'endpoint.answers_reset': ofEndpoint('The rules for answers were removed', '/answers'),
  'endpoint.events_deleted': ofEndpoint('Events were deleted', ''),
  'endpoint.events_imported': ofEndpoint('Events were imported', ''),
};

const isOfGuard = ({ details }: AuditEntryRow): boolean => details?.fields?.includes('guard') ?? false;
const others = ({ details }: AuditEntryRow): string => {
  const fields = details?.fields?.filter(field => field !== 'guard') ?? [];
  return fields.length === 0 ? '' : `, and settings: ${fields.join(', ')}`;
};

/** The actions that are changes of an endpoint. */
export const changeActions: readonly string[] = Object.keys(sentences);

/** @param entry with the name of its target, if that is known */
export function ofEntry(entry: Named): Sentence {
  const { action, actorEmail: by, details } = entry;
  const written = sentences[action]?.({ ...entry, name: details?.name ?? entry.name });
  return { kind: kindOf(entry), by, text: written?.text ?? action, path: written?.path ?? '/settings' };
}

function kindOf(entry: AuditEntryRow): Change['kind'] {
  const [noun] = entry.action.split('.');
  if (noun === 'secret' || noun === 'forward' || noun === 'alert') return noun;
  if (entry.action.startsWith('endpoint.answers_')) return 'answers';
  return isOfGuard(entry) ? 'guard' : 'settings';
}

/** Types and paths come from senders. */
export function ofSchema({ type, kind, path }: SchemaChangeRow): Sentence {
  const field = path.length === 0 ? 'the body' : `“${Buffer.from(path).toString()}”`;
  const events = type === '' ? 'events without a type' : `events of type “${type}”`;
  const text = {
    new: `New in ${events}: ${field}`,
    vanished: `No longer in ${events}: ${field}`,
    type: `Another kind of value in ${events}: ${field}`,
  }[kind];
  const page = `/schemas${type === '' ? '' : `?type=${encodeURIComponent(type.toWellFormed())}`}`;
  return { kind: 'schema', by: null, text, path: page };
}
