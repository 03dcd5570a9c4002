/* The tool `get_schema`. */
import type { SchemasService } from '../schemas/service.ts';
import { answerBytes } from './answer-size.ts';
import { type Input, maxResultBytes, notice, type Output } from './model.ts';
import type { ToolContext } from './tool-context.ts';

export const createGetSchema =
  (schemas: Pick<SchemasService, 'list' | 'schema'>) =>
  async ({ principal }: ToolContext, given: Input<'get_schema'>): Promise<Output<'get_schema'>> => {
    const { endpointId, type, platform, as = 'typescript' } = given;
    if (type === undefined)
      return fit({ notice, schemas: await schemas.list(principal, endpointId), text: null, truncated: false });
    const { schema, text } = await schemas.schema(principal, endpointId, { type, platform, as });
    return fit({ notice, schemas: [schema], text, truncated: false });
  };

/** Shortens the list or the text until the result fits. */
function fit(answer: Output<'get_schema'>): Output<'get_schema'> {
  let fitting = answer;
  while (answerBytes(fitting) > maxResultBytes) {
    const { schemas, text } = fitting;
    fitting = {
      ...fitting,
      schemas: text === null ? schemas.slice(0, Math.floor(schemas.length * 0.8)) : schemas,
      text: text === null ? null : text.slice(0, Math.floor(text.length * 0.8)),
      truncated: true,
    };
  }
  return fitting;
}
