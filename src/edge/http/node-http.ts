/** An import would read every export of the module, and one of them loads an HTTP client. */
export const { createServer, METHODS, STATUS_CODES } = process.getBuiltinModule('node:http');
