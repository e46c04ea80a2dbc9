import { Controller, Get, Header } from '@nestjs/common';
import { openApiDocument } from '@postroom/contracts';

/** The published machine description; needs no key. */
@Controller('public')
export class DocumentsController {
  private readonly openApi = JSON.stringify(openApiDocument());

  @Get('openapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  openApiJson(): string {
    return this.openApi;
  }
}
