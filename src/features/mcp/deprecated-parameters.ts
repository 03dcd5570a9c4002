/* Parameter names of tools that changed after 1.0.0. The old names still work, and are not in the tools' schemas. */
import type { ToolName } from './model.ts';

const deprecatedNames: Partial<Record<ToolName, Record<string, string>>> = {
  search_events: { query: 'q' },
  export_link: { query: 'q' },
};

/** Renames the arguments of a call. With both names given, the old one stays, and the schema refuses it. */
export function renameDeprecatedParameters(tool: ToolName, given: unknown): unknown {
  const names = deprecatedNames[tool];
  if (!names || typeof given !== 'object' || given === null) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const current = Object.hasOwn(names, name) ? names[name] : undefined;
      return [current === undefined || Object.hasOwn(given, current) ? name : current, value];
    }),
  );
}
