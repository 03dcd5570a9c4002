/* The form of the replay dialog: destination, changes and signature, and the request that they make. Its paths equal the paths in the request. */

import { useState } from 'preact/hooks';
import type { EventDetail } from '../../../features/events/model.ts';
import { readDestination } from '../../kit/destination.ts';
import { choice, flag, secret, text, url } from '../../kit/fields.tsx';
import { type FormOf, useForm } from '../../kit/form.tsx';
import type { DraftOf, FormField, Pair, Rules } from '../../kit/schema.ts';
import { bodyToEdit, editOf, sentHeaders } from './changes.ts';
import { type Destination, lastDestination, listDestinations } from './replay-destinations.ts';
import type { ReplayRequest } from './request.ts';

/** Exactly as it was typed, and shown with a component of its own. */
const body: FormField<string, string> = { from: value => value ?? '', to: draft => draft };
const headers: FormField<readonly Pair[], readonly Pair[]> = { from: value => value ?? [], to: draft => draft };

export const signModes = [
  { id: 'none', label: 'As captured' },
  { id: 'fresh', label: 'Fresh' },
  { id: 'tamper', label: 'Broken' },
] as const;

const schema = {
  url: url({
    label: 'Destination',
    list: 'destinations',
    placeholder: 'localhost:3000/webhooks',
    required: 'Where is it sent?',
    autoFocus: true,
    isSelected: true,
  }),
  listener: text({ label: 'Send to' }),
  'edit.body': body,
  'edit.headers': headers,
  'sign.mode': choice({ label: 'Signature', options: signModes }),
  'sign.secretId': text({ label: 'Sign with' }),
  'sign.secret': secret({
    label: 'Signing secret',
    required: 'Enter the secret.',
    hint: 'Used for this replay only, never stored or logged.',
  }),
  'sign.newId': flag({
    label: 'New delivery ID',
    hint: 'For handlers that ignore a delivery ID they have already seen.',
    on: true,
    off: false,
  }),
};
type Draft = DraftOf<typeof schema>;

/** An empty `listener`: it goes to the URL. An empty `secretId`: it is signed with the typed secret. */
const rules: Rules<typeof schema> = {
  schema,
  applies(path, draft) {
    if (path === 'url') return draft.listener === '';
    if (path === 'sign.secret') return draft['sign.mode'] !== 'none' && draft['sign.secretId'] === '';
    return path !== 'sign.newId' || draft['sign.mode'] !== 'none';
  },
};

export type ReplayForm = FormOf<typeof schema> & {
  appendPath: boolean;
  setAppendPath: (isAppended: boolean) => void;
  /** Whether the URL is still the one with which the dialog opened. */
  isUntouched: boolean;
  edit: ReplayRequest['edit'];
  request: ReplayRequest | undefined;
};

type Options = {
  endpointId: string;
  /** Undefined while it is loading, and for a batch, which is sent unchanged. */
  event: EventDetail | undefined;
  initialUrl: string | undefined;
  send: (request: ReplayRequest) => Promise<void>;
};

export function useReplayForm({ endpointId, event, initialUrl, send }: Options): ReplayForm {
  const [start] = useState(() => startOf(endpointId, initialUrl));
  /** What was chosen in the dialog, for each destination. */
  const [chosenAppend, setChosenAppend] = useState<ReadonlyMap<string, boolean>>(new Map());
  const captured = event && { body: bodyToEdit(event), headers: sentHeaders(event.rawHeaders) };
  const form = useForm({
    ...rules,
    initial: { url: start.url, edit: captured },
    staysFilled: true,
    save: async () => request && send(request),
  });
  const { draft } = form;
  const destination = readDestination(draft.url).url;
  const known = listDestinations(endpointId).find(({ url }) => url === destination);
  const isUntouched = draft.url === start.url;
  const appendPath = chosenAppend.get(destination) ?? (isUntouched ? start : known)?.appendPath ?? true;
  const setAppendPath = (isAppended: boolean): void =>
    setChosenAppend(new Map(chosenAppend).set(destination, isAppended));
  const editedBody = captured?.body === undefined ? undefined : draft['edit.body'];
  const edit = event && editOf(event, { body: editedBody, headers: draft['edit.headers'] });
  const sign = signOf(draft);
  const receiver =
    draft.listener !== '' ? { listener: draft.listener } : destination !== '' && { url: destination, appendPath };
  const request: ReplayRequest | undefined = receiver
    ? { ...receiver, ...(edit && { edit }), ...(sign && { sign }) }
    : undefined;
  return { ...form, appendPath, setAppendPath, isUntouched, edit, request };
}

/** A URL that the dialog is opened for is complete. */
function startOf(endpointId: string, initialUrl: string | undefined): Destination {
  if (initialUrl !== undefined) return { url: initialUrl, appendPath: false };
  return lastDestination(endpointId) ?? { url: '', appendPath: true };
}

function signOf(draft: Draft): ReplayRequest['sign'] {
  const { 'sign.mode': mode, 'sign.secretId': secretId, 'sign.secret': typed, 'sign.newId': newId } = draft;
  if (mode === 'none') return undefined;
  return { mode, ...(secretId === '' ? { secret: typed } : { secretId }), ...(newId && { newId }) };
}
