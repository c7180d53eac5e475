import { Controller, Get, Header } from '@nestjs/common';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Permit } from '../../security/callers/permit.decorator.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { packageFolder } from '../package-folder.cjs';

/** The path of the built document, below the package's folder. */
const DOCUMENT = 'dist/openapi.json';

/** The description of the API, for programs. */
@Controller('api/v1/openapi.json')
export class OpenApiController {
  /** The OpenAPI document of the API, made from its code when the package was built. */
  @Get()
  @Header('content-type', 'application/json; charset=utf-8')
  @Permit('read')
  async document(): Promise<string> {
    try {
      return await readFile(join(packageFolder ?? '', DOCUMENT), 'utf8');
    } catch (cause) {
      throw new ConsoleProblem(
        404,
        'no-document',
        `The document is not there: ${DOCUMENT} of the package is missing.`,
        { cause },
      );
    }
  }
}
