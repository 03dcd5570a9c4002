/* GET /api/endpoints/{id}/export (api-contract). */
import { Elysia } from 'elysia';
import type { Gate } from '../../http/gate.ts';
import { queryOf } from '../../http/input.ts';
import { IdParams, responses } from '../../http/schemas.ts';
import { ExportFile, ExportQuery, mediaTypes } from './model.ts';
import type { ExportsService } from './service.ts';

export const exportsRoutes = ({ gate, exports }: { gate: Gate; exports: ExportsService }) =>
  new Elysia().get(
    '/api/endpoints/:id/export',
    async ({ request, params, query }) => {
      const { fileName, body } = await exports.file(gate.principal(request), params.id, query);
      return new Response(body, {
        headers: {
          'content-type': `${mediaTypes[query.format ?? 'json']}; charset=utf-8`,
          // The id is the database's own, never what the request spelled.
          'content-disposition': `attachment; filename="${fileName}"`,
          'content-security-policy': "sandbox; default-src 'none'",
          'x-content-type-options': 'nosniff',
          'cache-control': 'no-store',
        },
      });
    },
    {
      params: IdParams,
      ...queryOf(ExportQuery),
      response: responses({ 200: ExportFile }, 400, 404),
      detail: {
        operationId: 'exportEndpoint',
        summary: 'Download an endpoint’s history',
        description:
          'Everything inside the plan’s retention window, oldest first, streamed: as JSON of this API, or with `format=har` as a HAR 1.2 capture, each of its own media type.',
        tags: ['Endpoints'],
      },
    },
  );
