/* The fields of a rule: its conditions and its answer. */

import { unknownPlaceholders } from '../../shared/placeholders.ts';
import { FilterField } from '../inspector/filter/filter-field.tsx';
import type { SeenSource } from '../inspector/filter/use-seen-values.ts';
import { type Example, placeholdersFor } from '../inspector/placeholders.ts';
import { Button, Segmented } from '../kit/controls.tsx';
import { HeaderEditor } from '../kit/fields.tsx';
import { type FieldsOf, Inputs } from '../kit/form.tsx';
import { visibleLine } from '../kit/format/visible.ts';
import type { Input, Pair } from '../kit/schema.ts';
import { TemplateField } from '../kit/template-field.tsx';
import type { ruleRules } from './rule-schema.tsx';

export type RuleFields = FieldsOf<typeof ruleRules.schema>;

type ConditionProps = {
  fields: RuleFields;
  seen: SeenSource;
  /** Why the server refused the rules. */
  error: unknown;
};

export const ConditionFields = ({ fields, seen, error }: ConditionProps) => (
  <fieldset class="box col">
    <legend>When</legend>
    <FilterField label="Filter" input={fields.input('when')} error={error} seen={seen} />
    <div class="fit">
      <Inputs form={fields} paths={['first', 'every', 'chance', 'rate.max', 'rate.perS']} />
    </div>
    <Inputs form={fields} paths={['per', 'handshake']} />
  </fieldset>
);

export function AnswerFields({ fields, example }: { fields: RuleFields; example: Example | undefined }) {
  const { 'answer.fault': fault, 'rate.max': rate } = fields.draft;
  const isCut = fault === 'close' || fault === 'reset';
  const status = {
    placeholder: rate === '' ? '200' : '429',
    ...(isCut && { hint: 'not sent with this fault' }),
  };
  return (
    <fieldset class="box col">
      <legend>Answer</legend>
      <div class="fit">
        <Inputs form={fields} paths={['answer.status', 'answer.delayMs']} texts={{ 'answer.status': status }} />
      </div>
      <Inputs form={fields} paths={['answer.fault']} />
      {!isCut && (
        <>
          <HeaderFields {...fields.input('answer.headers')} />
          <BodyField
            body={fields.input('answer.body')}
            encoding={fields.input('answer.bodyEncoding')}
            example={example}
          />
        </>
      )}
      <p class="hint">The event is stored before the response is sent.</p>
    </fieldset>
  );
}

function HeaderFields({ value, problem, change }: Input<readonly Pair[]>) {
  const hasType = value.some(([name]) => /^content-type$/i.test(name.trim()));
  return (
    <HeaderEditor
      headers={value}
      isInvalid={problem !== ''}
      onChange={next => change(next)}
      buttons={
        !hasType && (
          <Button kind="quiet" onClick={() => change([...value, ['Content-Type', 'application/json']])}>
            Add Content-Type
          </Button>
        )
      }
    >
      <p class={problem ? 'hint bad' : 'hint'} role={problem ? 'alert' : undefined}>
        {problem ||
          "Cookies, CORS and connection headers are not allowed, so that a response can't act as this server in a browser."}
      </p>
    </HeaderEditor>
  );
}

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

function BodyField({ body, encoding, example }: BodyFieldProps) {
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
