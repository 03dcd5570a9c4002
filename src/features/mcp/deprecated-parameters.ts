/* Names that parameters of tools had in 1.0.0. They are still taken from clients that send them, and described to nobody. */
import type { ToolName } from './model.ts';

const deprecatedNames: Partial<Record<ToolName, Record<string, string>>> = {
  search_events: { query: 'q' },
  export_link: { query: 'q' },
};

/** The arguments of a call under today's names. Where both names are given, nothing is renamed: the schema refuses the old one. */
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
