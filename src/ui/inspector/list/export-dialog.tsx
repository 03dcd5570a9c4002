/* Exports of one endpoint: a link for each format, and what it is for. With a filter, only the events that match. */

import type { ExportFormat } from '../../../features/exports/model.ts';
import { api } from '../../kit/api.ts';
import { Dialog } from '../../kit/controls.tsx';
import { openDialog } from '../../kit/dialogs.tsx';
import { visibleLine } from '../../kit/format/visible.ts';
import { Row } from '../../kit/page.tsx';

const formats: { id: ExportFormat; name: string; use: string }[] = [
  { id: 'json', name: 'JSON', use: 'all fields; can be imported again' },
  { id: 'ndjson', name: 'NDJSON', use: 'one event per line, for jq and similar tools; can be re-imported' },
  { id: 'csv', name: 'CSV', use: 'for spreadsheets' },
  { id: 'har', name: 'HAR', use: 'for browser developer tools; can be re-imported' },
  { id: 'curl', name: 'Shell script (curl)', use: 're-sends the events with curl' },
];

type ExportProps = {
  endpointId: string;
  where?: string;
  ids?: readonly string[];
};

export const ExportLinks = ({ endpointId, where = '', ids = [] }: ExportProps) => (
  <ul class="rows">
    {formats.map(({ id, name, use }) => (
      <Row key={id} name={name} about={use}>
        <a
          class="button plain"
          href={api.exportUrl(endpointId, id, { where, ids })}
          download=""
          aria-label={`Download as ${name}`}
        >
          Download
        </a>
      </Row>
    ))}
  </ul>
);

export const openExport = (title: string, { endpointId, where = '', ids = [] }: ExportProps): Promise<void> =>
  openDialog(close => (
    <Dialog title={title} onClose={close}>
      <p class="lead">
        {ids.length > 0 ? (
          'The selected events, oldest first.'
        ) : where ? (
          <>
            The stored events that match <code>{visibleLine(where)}</code>, oldest first.
          </>
        ) : (
          'All stored events, oldest first.'
        )}{' '}
        Payloads may contain secrets, so store the file safely.
      </p>
      <ExportLinks endpointId={endpointId} where={where} ids={ids} />
    </Dialog>
  ));
