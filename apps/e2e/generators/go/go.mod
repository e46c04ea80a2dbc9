module postroom.example/client

go 1.24

require github.com/oapi-codegen/runtime v1.2.0
