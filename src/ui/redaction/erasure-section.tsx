/* Erasure: an owner deletes every event that has a text. First it is counted, then deleted; large erasures report their progress. */

import { useState } from 'preact/hooks';
import { Button, Notice } from '../kit/controls.tsx';
import { confirm } from '../kit/dialogs.tsx';
import { text } from '../kit/fields.tsx';
import { Form, Inputs, useForm } from '../kit/form.tsx';
import { formatCount } from '../kit/format/time.ts';
import { visibleName } from '../kit/format/visible.ts';
import { Card, Loaded, Row } from '../kit/page.tsx';
import { usePolled } from '../kit/use-query.ts';
import { type Erasure, redactionApi } from './redaction-api.ts';

const minCharacters = 8;
const maxCharacters = 200;

const countCharacters = (typed: string): number => [...typed].length;
const textField = text({
  label: 'Text',
  required: 'Enter the text.',
  hint: 'Such as an email address or a customer number: 8 to 200 characters, in any case. Every character stands for itself.',
});
const schema = {
  text: {
    ...textField,
    // Spaces are part of it.
    to: (typed: string) => typed,
    problem: (typed: string) =>
      countCharacters(typed) < minCharacters || countCharacters(typed) > maxCharacters
        ? `Enter ${minCharacters} to ${maxCharacters} characters.`
        : undefined,
  },
};

const isRunning = ({ state }: Erasure): boolean => state === 'searching' || state === 'deleting';

export function ErasureSection() {
  const [started, setStarted] = useState<{ erasure: Erasure; text: string }>();
  const form = useForm({
    schema,
    messageAt: 'text',
    staysFilled: true,
    save: async (_: unknown, draft) => {
      setStarted(undefined);
      return setStarted({ text: draft.text, erasure: await redactionApi.erase(draft.text, true) });
    },
  });
  const erase = async (wanted: string): Promise<void> =>
    setStarted({ text: wanted, erasure: await redactionApi.erase(wanted, false) });
  return (
    <Card
      title="Erasure"
      lead="Deletes every event of your team that has a text in its body, headers, query or path, escapes and encodings included, pinned events too. Afterwards no file of this server has it, and no backup can bring it back."
    >
      <Form form={form} submit="Find events" submitKind="plain" submitIcon="search">
        <Inputs form={form} paths={['text']} />
      </Form>
      {/* A count is shown only while the field has its text. */}
      {started && (started.text === form.draft.text || !started.erasure.dryRun) && (
        <Progress key={started.erasure.id} started={started.erasure} onErase={() => erase(started.text)} />
      )}
    </Card>
  );
}

type ProgressProps = {
  started: Erasure;
  onErase: () => Promise<void>;
};

function Progress({ started, onErase }: ProgressProps) {
  const query = usePolled(
    started.id,
    () => (isRunning(started) ? redactionApi.erasure(started.id) : Promise.resolve(started)),
    isRunning,
  );
  const ask = (count: string): Promise<boolean> =>
    confirm({
      title: `Delete ${count} for good?`,
      text: "Pinned events, replays and backups of them are deleted, too. This can't be undone.",
      button: 'Delete permanently',
      run: onErase,
    });
  return (
    <Loaded query={query} what="the erasure" rows={2} inCard>
      {erasure => (
        <div class="col">
          <p role="status">{sentenceOf(erasure)}</p>
          {erasure.endpoints.length > 0 && (
            <ul class="rows" aria-label="Endpoints">
              {erasure.endpoints.map(({ id, name, events, pinned }) => (
                <Row
                  key={id}
                  name={visibleName(name)}
                  about={`${formatCount(events, 'event')}${pinned > 0 ? `, ${pinned} pinned` : ''}`}
                />
              ))}
            </ul>
          )}
          {erasure.state === 'failed' && (
            <Notice tone="bad">Nothing was deleted. The server was restarted or the search failed: start again.</Notice>
          )}
          {erasure.dryRun && erasure.state === 'done' && erasure.events > 0 && (
            <div class="row">
              <Button kind="danger" icon="trash" onClick={() => void ask(formatCount(erasure.events, 'event'))}>
                Delete {formatCount(erasure.events, 'event')}…
              </Button>
            </div>
          )}
        </div>
      )}
    </Loaded>
  );
}

function sentenceOf({ state, dryRun, events }: Erasure): string {
  const those = formatCount(events, 'event');
  switch (state) {
    case 'searching':
      return 'Searching all events…';
    case 'deleting':
      return `Deleting ${those}, and what files and backups have of them. You can leave this page; it goes on.`;
    case 'failed':
      return 'The erasure failed.';
    case 'done':
      if (dryRun) return events === 0 ? 'No event has this text.' : `${those} found. Nothing is deleted yet.`;
      return `${those} deleted. No file of this server has the text any more.`;
  }
}
