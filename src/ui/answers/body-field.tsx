/* The body of an answer. */

import { unknownPlaceholders } from '../../shared/placeholders.ts';
import { type Example, placeholdersFor } from '../inspector/placeholders.ts';
import { Segmented } from '../kit/controls.tsx';
import { visibleLine } from '../kit/format/visible.ts';
import type { Input } from '../kit/schema.ts';
import { TemplateField } from '../kit/template-field.tsx';

type Encoding = 'utf8' | 'base64';

const encodings: { id: Encoding; label: string }[] = [
  { id: 'utf8', label: 'Text' },
  { id: 'base64', label: 'Base64' },
];

type BodyFieldProps = {
  body: Input<string>;
  /** Whether it is base64. */
  encoding: Input<boolean>;
  example: Example | undefined;
};

export function BodyField({ body, encoding, example }: BodyFieldProps) {
  const isBase64 = encoding.value;
  const unknown = isBase64 ? [] : unknownPlaceholders(body.value);
  return (
    <>
      <TemplateField
        label="Body"
        aside={
          <Segmented
            label="Encoding of the body"
            options={encodings}
            value={isBase64 ? 'base64' : 'utf8'}
            onPick={picked => encoding.change(picked === 'base64')}
          />
        }
        input={body}
        rows={5}
        placeholder={isBase64 ? '' : 'empty'}
        hint={
          isBase64
            ? 'Sent as is. Placeholders work only in text bodies.'
            : unknown.length > 0
              ? `Unknown placeholder, sent as text: ${unknown.slice(0, 3).map(visibleLine).join(', ')}`
              : 'Placeholders are replaced once; a missing value becomes empty. Values are JSON-escaped if Content-Type is JSON.'
        }
        placeholders={isBase64 ? [] : placeholdersFor(example)}
      />
      <p class="hint">
        Responses never set cookies and carry a policy that stops browsers from running scripts in them.
      </p>
    </>
  );
}
