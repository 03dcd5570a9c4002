/* GET /api/endpoints/{id}/export */
import { routesOf } from '../../http/authenticated.ts';
import type { Gate } from '../../http/gate.ts';
import { queryOf } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { download } from '../../http/sandboxed.ts';
import { FilterErrorBody, IdParams, responses } from '../../http/schemas.ts';
import { exportFiles } from '../../shared/exports.ts';
import { ExportFile, ExportQuery } from './model.ts';
import type { ExportsService } from './service.ts';

export const exportsRoutes = ({ gate, exports }: { gate: Gate; exports: ExportsService }) =>
  routesOf(gate, '/api/endpoints', 'Endpoints').get(
    '/:id/export',
    async ({ principal, params, query }) => {
      const { fileName, body } = await exports.file(principal, params.id, query);
      // The file name contains the id from the database, not the text of the request.
      return download(body, fileName, {
        'content-type': `${exportFiles[query.format ?? 'json'].mediaType}; charset=utf-8`,
      });
    },
    {
      params: IdParams,
      ...queryOf(ExportQuery),
      response: responses({ 200: ExportFile, 400: FilterErrorBody }, 404),
      ...operation({
        operationId: 'exportEndpoint',
        permission: 'reading',
        compressed: false,
        head: 'stream',
        summary: 'Download an endpoint’s history',
        description:
          'All events inside the retention window, and the pinned ones, oldest first, streamed: as JSON of this API, a HAR 1.2 capture, NDJSON (one event a line), CSV for spreadsheets, or a shell script that sends the events again with curl. `q` and `where` select events as in the event list, `ids` single ones. Each format has its own media type.',
      }),
    },
  );
