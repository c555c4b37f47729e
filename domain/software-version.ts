/** Of this program, as `package.json` has it. */
export const SOFTWARE_VERSION = '1.0.0';
